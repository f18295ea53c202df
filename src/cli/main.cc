#include "cli/process.h"

int main(int argc, char** argv) { return slipway::cli::main_of_process(argc, argv, SLIPWAY_VERSION); }
