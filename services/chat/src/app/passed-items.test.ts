import { GatewayError } from '@gateway/errors';
import { expect, test } from '@jest/globals';
import { toStoredItems } from '../formats/responses/stored-items';
import { sealed } from '../providers/openai/responses/encrypted-reasoning';
import { CALLS, providerOf, receivedBy } from './upstream-request.fixture';

const azure = providerOf('azure-openai');
const responding = (account: string) => ({ ...azure, ...azure.responses!(account) });
const USER = { role: 'user', content: 'Fix it.' };

const ITEMS = [
  {
    type: 'shell_call',
    call_id: 'call_1',
    status: 'completed',
    action: { commands: ['ls'], timeout_ms: null },
  },
  {
    type: 'shell_call_output',
    call_id: 'call_1',
    output: [{ stdout: 'a', stderr: '', outcome: { type: 'exit', exit_code: 0 } }],
  },
  {
    type: 'local_shell_call',
    call_id: 'call_2',
    status: 'completed',
    action: { type: 'exec', command: ['ls'] },
  },
  { type: 'local_shell_call_output', call_id: 'call_2', output: 'a' },
  {
    type: 'apply_patch_call',
    call_id: 'call_3',
    status: 'completed',
    operation: { type: 'delete_file', path: 'a' },
  },
  { type: 'apply_patch_call_output', call_id: 'call_3', status: 'completed', output: 'Done.' },
  { type: 'compaction', encrypted_content: 'c2VjcmV0' },
];

test.each(ITEMS)(
  'an item of type $type passes as it is to a provider of its format, and to no other',
  (item) => {
    const request = CALLS.responses({ input: [USER, item] });
    expect(receivedBy(responding('acct'), request).input).toEqual([USER, item]);
    expect(() => receivedBy(providerOf('anthropic'), request)).toThrow(
      expect.objectContaining({
        detail: `input[1].type: items of type ${item.type} are not supported by this model`,
      }),
    );
  },
);

test('a stored item of such a type has an id', () => {
  const { ownItems } = CALLS.responses({ input: [USER, ...ITEMS] }) as ReturnType<typeof CALLS.responses> & {
    readonly ownItems: Parameters<typeof toStoredItems>[0];
  };
  const ids = toStoredItems(ownItems, 'r1').map((item) => (item as { id: string }).id);
  expect(ids.slice(1)).toEqual([
    'sh_r1_in_1',
    'sho_r1_in_2',
    'lsh_r1_in_3',
    'lsho_r1_in_4',
    'apc_r1_in_5',
    'apco_r1_in_6',
    'cmp_r1_in_7',
  ]);
});

test('a compaction goes back to the account that wrote it, under its own id', () => {
  const content = sealed('acct', 'cmp_theirs', 'c2VjcmV0');
  const request = CALLS.responses({
    input: [{ type: 'compaction', id: 'cmp_ours', encrypted_content: content }, USER],
  });
  expect(receivedBy(responding('acct'), request).input).toEqual([
    { type: 'compaction', id: 'cmp_theirs', encrypted_content: 'c2VjcmV0' },
    USER,
  ]);
  expect(() => receivedBy(responding('other'), request)).toThrow(GatewayError);
});
