// SPDX-License-Identifier: BSL-1.0
#pragma once
// The intrusive lists of mpx: Boost.Intrusive with one set of options. Nodes are linked without
// allocating, know whether they are linked, and leave a list in constant time.

#include <boost/intrusive/list.hpp>

namespace mpx::inline v0 {

namespace intrusive_options {
using link = boost::intrusive::link_mode<boost::intrusive::normal_link>;
using no_count = boost::intrusive::constant_time_size<false>;
}  // namespace intrusive_options

/// What a node derives from; `Tag` tells apart several lists that a node can be in at once.
template <class Tag>
using list_node =
    boost::intrusive::list_base_hook<boost::intrusive::tag<Tag>, intrusive_options::link>;

/// A doubly linked list of nodes that derive from `list_node<Tag>`; it does not own them.
template <class T, class Tag>
using linked_list = boost::intrusive::list<T, boost::intrusive::base_hook<list_node<Tag>>,
                                           intrusive_options::no_count>;

}  // namespace mpx::inline v0
