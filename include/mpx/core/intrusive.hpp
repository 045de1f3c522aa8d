// SPDX-License-Identifier: BSL-1.0
#pragma once
// Intrusive doubly linked lists. Linking does not allocate; unlinking takes constant time. Uses the
// algorithms of Boost.Intrusive in one instance for all node types: Boost's list.hpp takes several
// times as long to compile, and again for each type.

#include <boost/intrusive/circular_list_algorithms.hpp>

#include "mpx/config.hpp"

namespace mpx::inline v0 {

namespace detail {

struct list_links {
  list_links* next;
  list_links* previous;
};

struct list_traits {
  using node = list_links;
  using node_ptr = list_links*;
  using const_node_ptr = const list_links*;
  static node_ptr get_next(const_node_ptr n) noexcept { return n->next; }
  static void set_next(node_ptr n, node_ptr to) noexcept { n->next = to; }
  static node_ptr get_previous(const_node_ptr n) noexcept { return n->previous; }
  static void set_previous(node_ptr n, node_ptr to) noexcept { n->previous = to; }
};
using list_algorithms = boost::intrusive::circular_list_algorithms<list_traits>;

}  // namespace detail

/// Base class of nodes; `Tag` distinguishes lists that contain a node at the same time. A copy of a
/// node is in no list.
template <class Tag>
struct list_node : private detail::list_links {
  // NOLINTNEXTLINE(*-member-init,*-equals-default): linking sets them.
  [[gnu::always_inline]] list_node() noexcept {}
  list_node(const list_node&) noexcept {}
  list_node& operator=(const list_node&) noexcept { return *this; }

 private:
  template <class, class>
  friend class linked_list;
};

/// Doubly linked list of nodes that derive from `list_node<Tag>`. Does not own the nodes.
template <class T, class Tag>
class linked_list {
 public:
  /// Stays valid while other nodes are added and removed.
  class iterator {
   public:
    [[gnu::always_inline]] T& operator*() const noexcept { return of(at_); }
    [[gnu::always_inline]] iterator& operator++() noexcept {
      at_ = at_->next;
      return *this;
    }
    [[gnu::always_inline]] iterator operator++(int) noexcept {
      const iterator before = *this;
      at_ = at_->next;
      return before;
    }
    [[gnu::always_inline]] iterator& operator--() noexcept {
      at_ = at_->previous;
      return *this;
    }
    bool operator==(const iterator&) const noexcept = default;

   private:
    friend linked_list;
    [[gnu::always_inline]] explicit iterator(detail::list_links* at) noexcept : at_(at) {}
    detail::list_links* at_;
  };

  [[gnu::always_inline]] linked_list() noexcept { detail::list_algorithms::init_header(&ends_); }
  linked_list(const linked_list&) = delete;
  linked_list& operator=(const linked_list&) = delete;

  [[gnu::always_inline]] bool empty() const noexcept { return ends_.next == &ends_; }
  /// Requires:   not empty.
  [[gnu::always_inline]] T& front() noexcept { return of(ends_.next); }
  /// A const list gives access to mutable nodes, like a view.
  [[gnu::always_inline]] iterator begin() const noexcept { return iterator(ends_.next); }
  [[gnu::always_inline]] iterator end() const noexcept {
    return iterator(const_cast<detail::list_links*>(&ends_));
  }

  [[gnu::always_inline]] void push_back(T& n) noexcept {
    detail::list_algorithms::link_before(&ends_, links(n));
  }
  [[gnu::always_inline]] void push_front(T& n) noexcept {
    detail::list_algorithms::link_after(&ends_, links(n));
  }
  /// Removes all nodes without touching them.
  [[gnu::always_inline]] void clear() noexcept { detail::list_algorithms::init_header(&ends_); }
  // The previous node is known: cheaper than erase.
  [[gnu::always_inline]] void pop_front() noexcept {
    detail::list_links* const first = ends_.next;
    detail::list_links* const next = first->next;
    ends_.next = next;
    next->previous = &ends_;
    left(first);
  }
  /// Removes `n` from the list that contains it.
  [[gnu::always_inline]] static void erase(T& n) noexcept {
    detail::list_algorithms::unlink(links(n));
    left(links(n));
  }
  /// Returns an iterator to the next node.
  [[gnu::always_inline]] iterator erase(iterator at) noexcept {
    const iterator next(detail::list_algorithms::unlink(at.at_));
    left(at.at_);
    return next;
  }

 private:
  /// Poisons the links of a removed node, so that walking on from it, or unlinking it twice, faults
  /// at once instead of looping.
  [[gnu::always_inline]] static void left([[maybe_unused]] detail::list_links* n) noexcept {
#if MPX_ASSERT_LEVEL >= 2
    *n = {};
#endif
  }
  [[gnu::always_inline]] static detail::list_links* links(T& n) noexcept {
    return static_cast<list_node<Tag>*>(&n);
  }
  [[gnu::always_inline]] static T& of(detail::list_links* n) noexcept {
    return static_cast<T&>(static_cast<list_node<Tag>&>(*n));
  }

  detail::list_links ends_;
};

}  // namespace mpx::inline v0
