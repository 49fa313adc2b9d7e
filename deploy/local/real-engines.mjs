#!/usr/bin/env node
// Kept so that existing scripts can still start the engines by this path.
import '../../tools/real-engines.mjs';
