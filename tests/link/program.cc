// SPDX-License-Identifier: MIT
//
// A user's program in C++98, as strict as compilers can be: builds, saves, loads and asks a filter.
//
//     program PATH    where to save

#include <bloomfilter.h>

#include <iostream>
#include <string>
#include <vector>

namespace {

class filter {
public:
    explicit filter(bloomfilter *handle) : handle_(handle) {}
    ~filter() { bloomfilter_free(handle_); }

    int add(const std::string &key) { return bloomfilter_add(handle_, key.data(), key.size()); }
    bool contains(const std::string &key) const
    {
        return bloomfilter_contains(handle_, key.data(), key.size());
    }
    const bloomfilter *get() const { return handle_; }

private:
    filter(const filter &);
    filter &operator=(const filter &);

    bloomfilter *handle_;
};

bloomfilter *create()
{
    bloomfilter_options options = BLOOMFILTER_OPTIONS_INIT;
    bloomfilter *handle = 0;

    options.capacity = 1000;
    options.target_fpr = 1e-6;
    return bloomfilter_create(&handle, &options) < 0 ? 0 : handle;
}

bloomfilter *load(const char *path)
{
    bloomfilter_load_options options = BLOOMFILTER_LOAD_OPTIONS_INIT;
    bloomfilter *handle = 0;

    return bloomfilter_load(&handle, path, &options) < 0 ? 0 : handle;
}

bool has_both(const filter &asked)
{
    const void *keys[2] = {"alice", "mallory"};
    const size_t key_sizes[2] = {5, 7};
    uint8_t found[2] = {9, 9};

    return bloomfilter_contains_many(asked.get(), 2, keys, key_sizes, found) >= 0 &&
           found[0] == 1 && found[1] == 0;
}

} // namespace

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    filter built(create());
    if (built.get() == 0 || built.add("alice") != 1)
        return 2;
    if (bloomfilter_save(built.get(), argv[1]) < 0)
        return 2;

    filter loaded(load(argv[1]));
    bloomfilter_info info = BLOOMFILTER_INFO_INIT;
    const bool is_right = loaded.get() != 0 && loaded.contains("alice") &&
                          !loaded.contains("mallory") && has_both(loaded) &&
                          bloomfilter_get_info(loaded.get(), &info) == 0 && info.bit_count == 28756;
    std::cout << (is_right ? "right" : "wrong") << std::endl;
    return is_right ? 0 : 1;
}
