#!/usr/bin/env node
import { runProgram } from './bootstrap/run-program.mjs';

await runProgram('dev-certs');
