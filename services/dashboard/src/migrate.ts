import path from 'node:path';
import { runMigration } from '@gateway/runtime';

void runMigration('dashboard', path.join(__dirname, '../migrations'));
