// A limit for the memory of one expat parser. Expat keeps the whole of a tag or comment until it ends, and every name
// it has ever seen: without a limit the document decides how much that is.
//
//   ExpatMemory memory(32U << 20);       // must outlive the parser
//   ExpatMemory::Use use(memory);        // around every call of expat
//   parser = XML_ParserCreate_MM(nullptr, memory.suite(), &separator);
//
// Beyond the limit expat gets no memory, and says XML_ERROR_NO_MEMORY. One thread.
#pragma once

#include <cstddef>

#include <expat.h>

namespace slipway::feeds {

class ExpatMemory {
 public:
  explicit ExpatMemory(std::size_t limit) : limit_(limit) {}
  ExpatMemory(const ExpatMemory&) = delete;
  ExpatMemory& operator=(const ExpatMemory&) = delete;

  [[nodiscard]] static const XML_Memory_Handling_Suite* suite();
  [[nodiscard]] std::size_t used() const { return used_; }
  [[nodiscard]] std::size_t limit() const { return limit_; }

  // What expat allocates while this lives is on that account. Expat's allocator is not told for which parser it works.
  class [[nodiscard]] Use {
   public:
    explicit Use(ExpatMemory& memory);
    ~Use();
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;

   private:
    ExpatMemory* outer_;
  };

 private:
  struct Block;
  static void* allocate(std::size_t size);
  static void* resize(void* bytes, std::size_t size);
  static void release(void* bytes);

  std::size_t limit_;
  std::size_t used_ = 0;
};

}  // namespace slipway::feeds
