/* SPDX-License-Identifier: MIT */
#include "bloomfilter.h"

#define TEXT(x) #x
#define VERSION(major, minor, patch) TEXT(major) "." TEXT(minor) "." TEXT(patch)

const char *bloomfilter_version(void)
{
    return VERSION(BLOOMFILTER_VERSION_MAJOR, BLOOMFILTER_VERSION_MINOR, BLOOMFILTER_VERSION_PATCH);
}

const char *bloomfilter_strerror(int code)
{
    if (code >= 0)
        return "success";
    switch ((enum bloomfilter_error)code) {
    case BLOOMFILTER_EINVAL:
        return "invalid argument";
    case BLOOMFILTER_ENOMEM:
        return "out of memory";
    case BLOOMFILTER_EIO:
        return "input/output error";
    case BLOOMFILTER_ENOTFILTER:
        return "not a filter file";
    case BLOOMFILTER_EDAMAGED:
        return "damaged filter file";
    case BLOOMFILTER_ENEWER:
        return "filter file of a newer format";
    case BLOOMFILTER_EUNSUPPORTED:
        return "unknown feature, hash scheme or layout, or not possible with this layout";
    case BLOOMFILTER_ESECRET:
        return "secret missing, wrong, or given for a filter that has none";
    case BLOOMFILTER_EINCOMPATIBLE:
        return "filters cannot be combined";
    case BLOOMFILTER_EREADONLY:
        return "filter is read-only";
    case BLOOMFILTER_ETOOLARGE:
        return "too large";
    case BLOOMFILTER_ENOTFOUND:
        return "key is not in the filter";
    case BLOOMFILTER_ESELFTEST:
        return "self-test failed: a hash answers wrongly in this process";
    }
    return "unknown error";
}
