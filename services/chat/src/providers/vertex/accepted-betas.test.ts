import { expect, test } from '@jest/globals';
import { acceptedBetas } from './accepted-betas';

test.each([
  [undefined, undefined],
  ['claude-code-20250219', undefined],
  ['claude-code-20250219,interleaved-thinking-2025-05-14', 'interleaved-thinking-2025-05-14'],
  ['advanced-tool-use-2025-11-20', 'tool-search-tool-2025-10-19'],
  ['tool-search-tool-2025-10-19,advanced-tool-use-2025-11-20', 'tool-search-tool-2025-10-19'],
  ['compact-2027-01-01', 'compact-2027-01-01'],
])('of the betas %s Vertex AI gets %s', (sent, accepted) => expect(acceptedBetas(sent)).toBe(accepted));
