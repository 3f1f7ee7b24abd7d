// Every test of this executable runs under the order checker.
#include "support/order_checker.hpp"

namespace {

[[maybe_unused]] const bool is_checked = skiff_test::check_order_always();

}  // namespace
