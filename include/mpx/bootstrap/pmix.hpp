// SPDX-License-Identifier: BSL-1.0
#pragma once
// Joins the job of a launcher that speaks PMIx: Open MPI's mpirun, prterun, Slurm (srun
// --mpi=pmix). Needs libpmix (in CMake: mpx::pmix). If any source of a program includes this
// header, the default bootstrap joins such jobs too.

#include "mpx/macros/begin.hpp"

#include <pmix.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "mpx/bootstrap/detail/client_member.hpp"
#include "mpx/bootstrap/detail/joiner_by.hpp"
#include "mpx/core/error.hpp"
#include "mpx/core/function_ref.hpp"
#include "mpx/core/platform.hpp"

namespace mpx::inline v0::bootstrap {

namespace detail {

/// This process as a PMIx client.
/// Threads:    any; only one fence at a time.
class pmix_client {
 public:
  /// The client of this process; it lives until the process ends.
  /// Errors:     errc::bootstrap, at every call.
  [[gnu::noinline, gnu::cold]] static pmix_client& of_process() {
    static pmix_client client;
    return client;
  }
  pmix_client(const pmix_client&) = delete;
  pmix_client& operator=(const pmix_client&) = delete;
  [[gnu::cold]] ~pmix_client() {
    if (is_here() && !fencing_ && !failed_) PMIx_Finalize(nullptr, 0);
  }

  rank_t rank() const noexcept { return static_cast<rank_t>(me_.rank); }
  rank_t size() const noexcept { return size_; }
  bool is_here() const noexcept { return ::getpid() == pid_; }
  std::uint64_t next_environment() {
    const std::lock_guard lock(mutex_);
    failed_ = false;  // That belonged to an earlier environment.
    return environments_++;
  }
  /// An environment has failed here, and other ranks may wait for this one. The process then does
  /// not finalize with the launcher, unless it begins another environment.
  void mark_failed() noexcept {
    const std::lock_guard lock(mutex_);
    failed_ = true;
  }

  static constexpr bool publishes_always = true;  // See published_by.
  /// Publishes all values that this rank has put before the `fence`-th fence of an environment.
  void publish(std::uint64_t environment, std::uint64_t fence, std::string_view all) const {
    std::string bytes(all);  // PMIx copies it again.
    pmix_value_t v{};
    v.type = PMIX_BYTE_OBJECT;
    v.data.bo.bytes = bytes.data();
    v.data.bo.size = bytes.size();
    check(PMIx_Put(PMIX_GLOBAL, name(environment, fence).c_str(), &v), "PMIx_Put",
          errc::no_resources);
    check(PMIx_Commit(), "PMIx_Commit", errc::no_resources);
  }
  /// Returns the values that a rank published before a fence; nothing if it published none.
  std::optional<std::string> published_by(rank_t rank, std::uint64_t environment,
                                          std::uint64_t fence) const {
    pmix_proc_t of = me_;
    of.rank = static_cast<pmix_rank_t>(rank);
    // Values that a fence has brought are local: neither ask another rank nor wait for one.
    const flag now(PMIX_IMMEDIATE);
    pmix_value_t* v = nullptr;
    const std::string key = name(environment, fence);
    pmix_status_t status = PMIx_Get(&of, key.c_str(), &now.info, 1, &v);
    // Fences of Slurm 23.11 may bring nothing from other nodes.
    if (status == PMIX_ERR_NOT_FOUND) {
      const time_limit asked(asking_s_max);
      status = PMIx_Get(&of, key.c_str(), &asked.info, 1, &v);
    }
    if (status != PMIX_SUCCESS || v == nullptr) return {};
    std::optional<std::string> text;
    if (v->type == PMIX_BYTE_OBJECT)
      text.emplace(v->data.bo.bytes != nullptr ? v->data.bo.bytes : "", v->data.bo.size);
    std::free(v->type == PMIX_BYTE_OBJECT ? v->data.bo.bytes : nullptr);
    std::free(v);
    return text;
  }

  [[gnu::noinline, gnu::cold]] void fence(mpx::detail::function_ref<void()> idle) {
    const std::int64_t nap_ns = 1'000'000 * ((size_ + 31) / 32);
    while (!begin_fence()) {  // Another environment of this process is in a fence.
      idle();
      ::usleep(static_cast<useconds_t>(nap_ns / 1000));
    }
    while (done_.load(platform::memory_order_acquire) == 0) {
      idle();
      platform::futex_wait(done_, 0, nap_ns);
    }
    const auto status = static_cast<pmix_status_t>(status_);
    {
      const std::lock_guard lock(mutex_);
      fencing_ = false;
    }
    check(status, "PMIx_Fence", errc::aborted);
  }

  void abort(int code, std::string_view why) const {
    PMIx_Abort(code, std::string(why).c_str(), nullptr, 0);
  }

 private:
  /// A Boolean attribute that is true. (PMIx's own macros use C casts.)
  struct flag {
    explicit flag(const char* name) noexcept {
      std::strncpy(info.key, name, sizeof info.key - 1);
      info.value.type = PMIX_BOOL;
      info.value.data.flag = true;
    }
    pmix_info_t info{};
  };
  struct time_limit {
    explicit time_limit(int seconds) noexcept {
      std::strncpy(info.key, PMIX_TIMEOUT, sizeof info.key - 1);
      info.value.type = PMIX_INT;
      info.value.data.integer = seconds;
    }
    pmix_info_t info{};
  };
  static constexpr int asking_s_max = 2;

  /// PMIx 5.0.0 and 5.0.1 store the data of fences in shared memory that cannot grow, and fail with
  /// PMIX_ERR_NOMEM on several nodes. While this object exists, PMIx_Init selects private memory
  /// instead.
  class no_shared_store {
   public:
    no_shared_store() noexcept {
      const std::string_view version = PMIx_Get_version();  // "OpenPMIx 5.0.1a1 (PMIx ..."
      const std::size_t at = version.find(" 5.0.");
      const std::string_view release = at < version.size() ? version.substr(at + 5, 2) : "";
      const bool small = !release.empty() && release[0] <= '1' &&
                         !(release.size() > 1 && release[1] >= '0' && release[1] <= '9');
      set_ = small && std::getenv(name) == nullptr && ::setenv(name, "hash", 0) == 0;
    }
    ~no_shared_store() {
      if (set_) ::unsetenv(name);
    }
    no_shared_store(const no_shared_store&) = delete;
    no_shared_store& operator=(const no_shared_store&) = delete;

   private:
    static constexpr const char* name = "PMIX_MCA_gds";
    bool set_ = false;
  };

  pmix_client() {
    const pmix_status_t status = [this] {
      const no_shared_store here;
      return PMIx_Init(&me_, nullptr, 0);
    }();
    if (status != PMIX_SUCCESS)
      mpx::detail::throw_error(
          errc::bootstrap,
          "PMIx_Init failed (%s): start the program with Open MPI's mpirun or `srun --mpi=pmix`, "
          "or set MPX_BOOTSTRAP=alone to run it alone; `mpxinfo` tells more",
          PMIx_Error_string(status));
    pmix_proc_t all = me_;
    all.rank = PMIX_RANK_WILDCARD;
    pmix_value_t* v = nullptr;
    if (PMIx_Get(&all, PMIX_JOB_SIZE, nullptr, 0, &v) == PMIX_SUCCESS && v != nullptr) {
      if (v->type == PMIX_UINT32 && v->data.uint32 <= 0x7fffffff)
        size_ = static_cast<rank_t>(v->data.uint32);
      std::free(v);
    }
    if (size_ >= 1 && me_.rank < static_cast<pmix_rank_t>(size_)) return;
    PMIx_Finalize(nullptr, 0);
    mpx::detail::throw_error(errc::bootstrap, "PMIx says that this is rank %u of %d",
                             static_cast<unsigned>(me_.rank), size_);
  }

  static void check(pmix_status_t status, const char* what, errc why) {
    if (status != PMIX_SUCCESS)
      mpx::detail::throw_error(why, "%s failed: %s", what, PMIx_Error_string(status));
  }

  /// The key of the values that a rank publishes before a fence.
  static std::string name(std::uint64_t environment, std::uint64_t fence) {
    return mpx::detail::formatted("mpx.%llu.%llu", 0ull + environment, 0ull + fence);
  }

  bool begin_fence() {
    const std::lock_guard lock(mutex_);
    if (fencing_) return false;
    done_.store(0, platform::memory_order_relaxed);
    const pmix_status_t status = PMIx_Fence_nb(
        nullptr, 0, &collect_.info, 1,
        [](pmix_status_t how, void* self) {
          auto& me = *static_cast<pmix_client*>(self);
          me.status_ = how;
          me.done_.store(1, platform::memory_order_release);
          platform::futex_wake(me.done_, 1);
        },
        this);
    if (status == PMIX_OPERATION_SUCCEEDED) {
      status_ = PMIX_SUCCESS;
      done_.store(1, platform::memory_order_relaxed);
    } else {
      check(status, "PMIx_Fence", errc::aborted);
    }
    fencing_ = true;
    return true;
  }

  pmix_proc_t me_{};
  rank_t size_ = 0;
  pid_t pid_ = ::getpid();
  platform::mutex mutex_;
  std::uint64_t environments_ = 0;
  bool fencing_ = false;
  bool failed_ = false;  // True if the latest environment has failed here.
  int status_ = 0;       // Result of the fence that has ended.
  // Makes fences collect the data, so that a get asks no other rank. A fence may read it until it
  // ends.
  const flag collect_{PMIX_COLLECT_DATA};
  platform::atomic<std::uint32_t> done_{0};
};

}  // namespace detail

/// A rank of a PMIx job, on any number of hosts. Move-only.
///
/// All that a rank publishes between two fences is one value of PMIx, which the fence carries to
/// all hosts. Fences are those of the whole process: ranks must enter the fences of several
/// environments in the same order. Failed ranks are not reported; for ranks of one host
/// `one_host<pmix>` detects them.
class pmix : public detail::client_member<detail::pmix_client> {
 public:
  /// Returns the reason for which this process cannot join by PMIx; "" if a PMIx launcher started
  /// it.
  static std::string refusal() {
    if (std::getenv("PMIX_NAMESPACE") == nullptr) return "PMIX_NAMESPACE is not set";
    return std::getenv("PMIX_RANK") == nullptr ? "PMIX_RANK is not set" : "";
  }

  /// Joins by the client of this process.
  /// Errors:     errc::bootstrap.
  [[gnu::noinline, gnu::cold]] pmix() : client_member(detail::pmix_client::of_process()) {}
};

namespace detail {

inline added_joiner pmix_is_there(joiner_by<pmix>("pmix", 2));  // NOLINT(*-global-variables)

}  // namespace detail

}  // namespace mpx::inline v0::bootstrap

#include "mpx/macros/end.hpp"
