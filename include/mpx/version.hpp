// SPDX-License-Identifier: BSL-1.0
#pragma once
// Version, ABI number and feature-test macros. The file includes and declares nothing, so that a
// program may ask for a version at no cost. tools/version.py sets and checks the numbers.

#define MPX_VERSION_MAJOR 0
#define MPX_VERSION_MINOR 9
#define MPX_VERSION_PATCH 1
#define MPX_VERSION_STRING "0.9.1"

/// The version as one number that can be compared: 10000 * major + 100 * minor + patch.
#define MPX_VERSION (MPX_VERSION_MAJOR * 10000 + MPX_VERSION_MINOR * 100 + MPX_VERSION_PATCH)

/// Number of the inline namespace of all names: objects compiled with headers of another number do
/// not link. Raised by each release that is not a patch release.
#define MPX_ABI_VERSION 0

// Feature-test macros, one for each header mpx/<name>.hpp that programs include beside mpx/mpx.hpp.
// The value is the year and month of the last change of the feature that a program can notice.
#define MPX_FEATURE_ASIO 202611
#define MPX_FEATURE_ATTRIBUTES 202611
#define MPX_FEATURE_BYTE_WINDOW 202611
#define MPX_FEATURE_CHECKS 202611
#define MPX_FEATURE_CLUSTER 202611
#define MPX_FEATURE_COROUTINE 202611
#define MPX_FEATURE_DATATYPE 202611
#define MPX_FEATURE_FABRIC 202611
#define MPX_FEATURE_FABRIC_OR_TCP 202611
#define MPX_FEATURE_INTERCOMMUNICATOR 202611
#define MPX_FEATURE_PARTITIONED 202611
#define MPX_FEATURE_PORTALS 202611
#define MPX_FEATURE_PROFILE 202611
#define MPX_FEATURE_RDMA 202611
#define MPX_FEATURE_RMA 202611
#define MPX_FEATURE_SIM 202611
#define MPX_FEATURE_TLS 202611
#define MPX_FEATURE_TOPOLOGY 202611
