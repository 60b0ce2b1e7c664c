#include <gtest/gtest.h>

#include "onepass/fourier.hpp"
