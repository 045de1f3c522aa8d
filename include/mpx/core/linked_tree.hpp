// SPDX-License-Identifier: BSL-1.0
#pragma once
// Intrusive balanced tree, ordered by the caller. Linking does not allocate. Uses the algorithms of
// Boost.Intrusive in one instance for all node types.

#include <boost/intrusive/rbtree_algorithms.hpp>

#include "mpx/config.hpp"

namespace mpx::inline v0 {

namespace detail {

struct tree_links {
  tree_links* parent;
  tree_links* left;
  tree_links* right;
  bool red;
};

struct tree_traits {
  using node = tree_links;
  using node_ptr = tree_links*;
  using const_node_ptr = const tree_links*;
  using color = bool;
  static node_ptr get_parent(const_node_ptr n) noexcept { return n->parent; }
  static void set_parent(node_ptr n, node_ptr to) noexcept { n->parent = to; }
  static node_ptr get_left(const_node_ptr n) noexcept { return n->left; }
  static void set_left(node_ptr n, node_ptr to) noexcept { n->left = to; }
  static node_ptr get_right(const_node_ptr n) noexcept { return n->right; }
  static void set_right(node_ptr n, node_ptr to) noexcept { n->right = to; }
  static color get_color(const_node_ptr n) noexcept { return n->red; }
  static void set_color(node_ptr n, color to) noexcept { n->red = to; }
  static color black() noexcept { return false; }
  static color red() noexcept { return true; }
};
using tree_algorithms = boost::intrusive::rbtree_algorithms<tree_traits>;

}  // namespace detail

/// Base class of nodes; `Tag` distinguishes trees that contain a node at the same time.
template <class Tag>
struct tree_node : private detail::tree_links {
 private:
  template <class, class>
  friend class linked_tree;
};

/// Red-black tree of nodes that derive from `tree_node<Tag>`. Does not own the nodes.
template <class T, class Tag>
class linked_tree {
 public:
  linked_tree() noexcept { detail::tree_algorithms::init_header(&root_); }
  linked_tree(const linked_tree&) = delete;
  linked_tree& operator=(const linked_tree&) = delete;

  bool empty() const noexcept { return root_.parent == nullptr; }
  /// Returns the first node, or nullptr.
  T* first() noexcept { return of(detail::tree_algorithms::begin_node(&root_)); }
  /// Returns the node after `n`, or nullptr.
  T* next(T& n) noexcept { return of(detail::tree_algorithms::next_node(links(n))); }

  /// Returns the first node for which `is_before(node)` is false, or nullptr.
  /// Requires:   all nodes for which it is true come before those for which it is false.
  /// Cost:       logarithmic.
  T* first_not(auto&& is_before) noexcept {
    detail::tree_links* found = nullptr;
    for (detail::tree_links* at = root_.parent; at != nullptr;) {
      const bool before = is_before(static_cast<const T&>(*of(at)));
      if (!before) found = at;
      at = before ? at->right : at->left;
    }
    return found == nullptr ? nullptr : of(found);
  }
  /// Links `n` before `at`; as the last node if `at` is nullptr.
  void insert_before(T* at, T& n) noexcept {
    detail::tree_algorithms::insert_before(&root_, at == nullptr ? &root_ : links(*at), links(n));
  }
  void erase(T& n) noexcept { detail::tree_algorithms::erase(&root_, links(n)); }

 private:
  static detail::tree_links* links(T& n) noexcept { return static_cast<tree_node<Tag>*>(&n); }
  T* of(detail::tree_links* n) noexcept {
    return n == &root_ ? nullptr : static_cast<T*>(static_cast<tree_node<Tag>*>(n));
  }

  detail::tree_links root_;
};

}  // namespace mpx::inline v0
