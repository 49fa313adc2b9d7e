import { TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useSearchParams } from 'react-router';
import { AuditExport } from '../../../ui/audit-export';
import { PageHeader } from '../../../ui/page-header';
import { AuditList } from './audit-list';

const TYPING_MS = 300;
const MAX_ID_CHARS = 128;

/** The audit log of all accounts and of the gateway itself. */
export function OperatorAuditPage() {
  const [search, setSearch] = useSearchParams();
  const account = search.get('account') ?? '';
  const searchFor = useDebouncedCallback(
    (id: string) => setSearch(id.trim() ? { account: id.trim() } : {}, { replace: true }),
    TYPING_MS,
  );
  return (
    <>
      <PageHeader
        title="Audit log"
        description="Changes to all accounts and to the gateway itself"
        actions={<AuditExport path="admin/audit" accountId={account} />}
      />
      <TextInput
        label="Filter by account"
        placeholder="Account ID: acct_…"
        defaultValue={account}
        onChange={(event) => searchFor(event.currentTarget.value)}
        maxLength={MAX_ID_CHARS}
        maw={360}
        mb="md"
        spellCheck={false}
      />
      <AuditList accountId={account} />
    </>
  );
}
