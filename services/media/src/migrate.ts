import path from 'node:path';
import { runMigration } from '@gateway/runtime';

void runMigration('media', path.join(__dirname, '../migrations'));
