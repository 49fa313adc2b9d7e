import { Tabs } from '@mantine/core';
import { useSearchParams } from 'react-router';
import { LedgerTable } from './ledger-table';
import { TopupsTable } from './topups-table';

/** The tab is in the address, so that it can be linked to. */
export function MoneyLists() {
  const [params, setParams] = useSearchParams();
  const tab = params.get('list') === 'topups' ? 'topups' : 'ledger';
  const choose = (chosen: string | null) =>
    setParams(chosen === 'topups' ? { list: chosen } : {}, { replace: true, preventScrollReset: true });
  return (
    <Tabs value={tab} onChange={choose} keepMounted={false}>
      <Tabs.List mb="md" aria-label="Balance history">
        <Tabs.Tab value="ledger">Ledger</Tabs.Tab>
        <Tabs.Tab value="topups">Top-ups</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="ledger">
        <LedgerTable />
      </Tabs.Panel>
      <Tabs.Panel value="topups">
        <TopupsTable />
      </Tabs.Panel>
    </Tabs>
  );
}
