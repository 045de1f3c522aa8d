// SPDX-License-Identifier: BSL-1.0
// A translation unit for the precompiled header that all tests share.
