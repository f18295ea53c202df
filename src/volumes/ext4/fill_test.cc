#include "volumes/ext4/fill.h"
#include <gtest/gtest.h>
TEST(Fill, X) {}
