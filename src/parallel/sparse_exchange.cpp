// SPDX-License-Identifier: Apache-2.0
#include "freshet/parallel/sparse_exchange.hpp"

#include "freshet/core/contracts.hpp"
#include "freshet/parallel/environment.hpp"

#include <petscsys.h>

#include <algorithm>
#include <memory>
#include <utility>

namespace freshet {
namespace {

/// PETSc's inner communicator, with a tag that no other exchange under way has, so that exchanges do not mix.
class TaggedComm {
 public:
  explicit TaggedComm(MPI_Comm comm) { check_petsc(PetscCommDuplicate(comm, &comm_, &tag_), "PetscCommDuplicate"); }
  ~TaggedComm() { PetscCommDestroy(&comm_); }
  TaggedComm(const TaggedComm&) = delete;
  TaggedComm& operator=(const TaggedComm&) = delete;

  MPI_Comm raw() const { return comm_; }
  int tag() const { return tag_; }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
  int tag_ = 0;
};

struct PetscDelete {
  void operator()(void* pointer) const { PetscFree(pointer); }
};

/// Find which ranks send to this one. \return messages of the right sizes without contents, in order of rank
std::vector<Message> announce(const TaggedComm& comm, const std::vector<Message>& outgoing, int own_rank) {
  std::vector<PetscMPIInt> ranks;
  std::vector<std::int64_t> sizes;
  for (const Message& message : outgoing) {
    if (message.rank == own_rank || message.bytes.empty()) continue;
    ranks.push_back(message.rank);
    sizes.push_back(static_cast<std::int64_t>(message.bytes.size()));
  }
  PetscMPIInt n_from = 0;
  PetscMPIInt* from_ranks = nullptr;
  std::int64_t* from_sizes = nullptr;
  check_petsc(PetscCommBuildTwoSided(comm.raw(), 1, MPI_INT64_T, static_cast<PetscMPIInt>(ranks.size()), ranks.data(),
                                     sizes.data(), &n_from, &from_ranks, &from_sizes),
              "PetscCommBuildTwoSided");
  const std::unique_ptr<PetscMPIInt, PetscDelete> rank_guard(from_ranks);
  const std::unique_ptr<std::int64_t, PetscDelete> size_guard(from_sizes);

  std::vector<Message> incoming(static_cast<std::size_t>(n_from));
  for (int i = 0; i < n_from; ++i) {
    incoming[static_cast<std::size_t>(i)] = {from_ranks[i],
                                             std::vector<std::byte>(static_cast<std::size_t>(from_sizes[i]))};
  }
  std::sort(incoming.begin(), incoming.end(), [](const Message& a, const Message& b) { return a.rank < b.rank; });
  return incoming;
}

/// Call call(offset, count) for every chunk of n_bytes. Sender and receiver use the same chunks, in the same order.
template <class Call>
void for_each_chunk(std::size_t n_bytes, std::size_t largest_chunk, Call&& call) {
  for (std::size_t offset = 0; offset < n_bytes; offset += largest_chunk) {
    call(offset, static_cast<int>(std::min(largest_chunk, n_bytes - offset)));
  }
}

}  // namespace

std::vector<Message> detail::exchange_in_chunks(const Communicator& comm, const std::vector<Message>& outgoing,
                                                std::size_t largest_chunk) {
  const TaggedComm tagged(comm.raw());
  std::vector<Message> incoming = announce(tagged, outgoing, comm.rank());

  std::vector<MPI_Request> requests;
  for (Message& message : incoming) {
    for_each_chunk(message.bytes.size(), largest_chunk, [&](std::size_t offset, int count) {
      check_mpi(MPI_Irecv(message.bytes.data() + offset, count, MPI_BYTE, message.rank, tagged.tag(), tagged.raw(),
                          &requests.emplace_back()),
                "MPI_Irecv");
    });
  }
  const Message* own = nullptr;
  for (const Message& message : outgoing) {
    FRESHET_EXPECT(message.rank >= 0 && message.rank < comm.size());
    if (message.bytes.empty()) continue;
    if (message.rank == comm.rank()) {
      FRESHET_EXPECT(own == nullptr);
      own = &message;
      continue;
    }
    for_each_chunk(message.bytes.size(), largest_chunk, [&](std::size_t offset, int count) {
      check_mpi(MPI_Isend(message.bytes.data() + offset, count, MPI_BYTE, message.rank, tagged.tag(), tagged.raw(),
                          &requests.emplace_back()),
                "MPI_Isend");
    });
  }
  if (own != nullptr) {  // a message to this rank itself needs no MPI
    const auto place = std::find_if(incoming.begin(), incoming.end(),
                                    [own](const Message& message) { return message.rank > own->rank; });
    incoming.insert(place, *own);  // moves the vectors of other messages, but not their bytes, which MPI writes
  }
  check_mpi(MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
  return incoming;
}

std::vector<Message> Exchange::operator()(const Communicator& comm, const std::vector<Message>& outgoing) const {
  constexpr std::size_t largest_chunk = std::size_t{1} << 30;  // MPI counts in int
  return detail::exchange_in_chunks(comm, outgoing, largest_chunk);
}

}  // namespace freshet
