#include "feeds/formats/expat_memory.h"

#include <cstdlib>
#include <utility>

namespace slipway::feeds {
namespace {

thread_local ExpatMemory* the_account = nullptr;

}  // namespace

// Stands before the bytes that expat gets.
struct alignas(std::max_align_t) ExpatMemory::Block {
  ExpatMemory* account;
  std::size_t size;
};

const XML_Memory_Handling_Suite* ExpatMemory::suite() {
  static constexpr XML_Memory_Handling_Suite kSuite{&allocate, &resize, &release};
  return &kSuite;
}

ExpatMemory::Use::Use(ExpatMemory& memory) : outer_(std::exchange(the_account, &memory)) {}
ExpatMemory::Use::~Use() { the_account = outer_; }

void* ExpatMemory::allocate(std::size_t size) {
  ExpatMemory* const account = the_account;
  if (account == nullptr || size > account->limit_ - account->used_) return nullptr;
  auto* const block = static_cast<Block*>(std::malloc(sizeof(Block) + size));
  if (block == nullptr) return nullptr;
  *block = {.account = account, .size = size};
  account->used_ += size;
  return block + 1;
}

void* ExpatMemory::resize(void* bytes, std::size_t size) {
  if (bytes == nullptr) return allocate(size);
  Block* const old = static_cast<Block*>(bytes) - 1;
  ExpatMemory* const account = old->account;
  const std::size_t others = account->used_ - old->size;
  if (size > account->limit_ - others) return nullptr;
  auto* const block = static_cast<Block*>(std::realloc(old, sizeof(Block) + size));
  if (block == nullptr) return nullptr;
  block->size = size;
  account->used_ = others + size;
  return block + 1;
}

void ExpatMemory::release(void* bytes) {
  if (bytes == nullptr) return;
  Block* const block = static_cast<Block*>(bytes) - 1;
  block->account->used_ -= block->size;
  std::free(block);
}

}  // namespace slipway::feeds
