// The child of the tests' InventoryTaker.
#include "scan/inventory/inventory_taker.h"

int main() { return slipway::scan::inventory_main(); }
