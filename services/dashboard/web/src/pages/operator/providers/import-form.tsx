import { Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { UseQueryResult } from '@tanstack/react-query';
import { Boxes, SearchX } from 'lucide-react';
import { useState } from 'react';
import type { AdminModel } from '../../../api/admin-models';
import type { EndpointModels, ImportOutcome } from '../../../api/admin-providers';
import { ConfirmDialog } from '../../../ui/confirm-dialog';
import { type Column, DataTable } from '../../../ui/data-table';
import { EmptyState } from '../../../ui/empty-state';
import { ErrorState } from '../../../ui/error-state';
import { wholeList } from '../../../ui/whole-list';
import { importColumns } from './import-columns';
import { type Field, ImportFilters, PriceListNotice } from './import-filters';
import { ImportOutcomes } from './import-outcomes';
import { type ImportRow, matches, toImportedModel } from './import-rows';
import { ImportQuestion, ImportSelection } from './import-selection';
import { counted } from './provider-state';
import { useImport } from './use-import';
import { useImportRows } from './use-import-rows';

/** Rows have inputs, so that a page with hundreds of them would be slow. */
const ROWS_PER_PAGE = 50;

interface ImportFormProps {
  providerId: string;
  listing: UseQueryResult<EndpointModels>;
  catalog: UseQueryResult<readonly AdminModel[]>;
  /** The prices shown are those of the markup and the provider as typed. */
  isCurrent: boolean;
  markup: Field & { readonly isValid: boolean };
  /** The provider's id in the price list. */
  listProvider: Field;
}

/** The models of an endpoint, with fields for what is imported of each. */
export function ImportForm(props: ImportFormProps) {
  const { providerId, listing, catalog, isCurrent, markup, listProvider } = props;
  const [search, setSearch] = useState('');
  const [asks, question] = useDisclosure();
  const { importing, outcomes } = useImport(providerId);
  const { rows, selected, select, selectOnly, edit } = useImportRows(listing.data, catalog.data);
  const found = rows.filter(({ model }) => matches(model, search));
  const selectRefused = (done: readonly ImportOutcome[]) =>
    selectOnly(done.filter(({ outcome }) => outcome === 'refused').map((one) => one.upstream_model));
  const columns = importColumns({ selected, select, edit });
  const error = listing.error ?? catalog.error;
  return (
    <Stack>
      {outcomes.length > 0 && <ImportOutcomes outcomes={outcomes} />}
      {importing.error && <ErrorState error={importing.error} title="The import stopped" />}
      {listing.data && <PriceListNotice listing={listing.data} />}
      <ImportFilters
        search={{ value: search, onChange: setSearch }}
        markup={markup}
        listProvider={listProvider}
      />
      {error && !listing.data ? (
        <ErrorState
          error={error}
          title="The endpoint did not list its models"
          onRetry={() => void Promise.all([listing.refetch(), catalog.refetch()])}
        />
      ) : (
        <>
          <ImportSelection
            found={found}
            selected={selected}
            onSelectAll={(isSelected) => select(found, isSelected)}
            onImport={question.open}
            isCurrent={isCurrent}
            isPending={importing.isPending}
          />
          <ModelsTable
            columns={columns}
            rows={found}
            query={listing.isSuccess ? catalog : listing}
            isStale={!isCurrent}
            isFiltered={rows.length > 0}
          />
        </>
      )}
      <ConfirmDialog
        opened={asks}
        onClose={question.close}
        title={`Import ${counted(selected.length, 'model')}?`}
        confirm="Import"
        // Its error is on the page, with the outcomes until then.
        action={() => importing.mutateAsync(selected.map(toImportedModel)).then(selectRefused, () => {})}
      >
        <ImportQuestion selected={selected} />
      </ConfirmDialog>
    </Stack>
  );
}

interface ModelsTableProps {
  columns: readonly Column<ImportRow>[];
  rows: readonly ImportRow[];
  query: UseQueryResult;
  isStale: boolean;
  isFiltered: boolean;
}

function ModelsTable({ columns, rows, query, isStale, isFiltered }: ModelsTableProps) {
  const [shown, setShown] = useState(ROWS_PER_PAGE);
  return (
    <DataTable
      label="Models of the endpoint"
      columns={columns}
      list={{
        ...wholeList(query.isPending ? [] : rows.slice(0, shown), query),
        isStale,
        hasMore: rows.length > shown,
        loadMore: () => setShown(shown + ROWS_PER_PAGE),
      }}
      rowKey={({ model }) => model.upstream_model}
      empty={<NoModels isFiltered={isFiltered} />}
    />
  );
}

function NoModels({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) return <EmptyState title="No model matches" icon={SearchX} />;
  return (
    <EmptyState title="The endpoint lists no models" icon={Boxes}>
      Add its models to the catalog by hand, with this provider as their target.
    </EmptyState>
  );
}
