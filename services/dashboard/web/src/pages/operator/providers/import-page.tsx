import { Anchor, Button } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { RefreshCw } from 'lucide-react';
import { useState } from 'react';
import { Link, useParams } from 'react-router';
import { listEndpointModels } from '../../../api/admin-providers';
import { PageHeader } from '../../../ui/page-header';
import { adminModelsQuery } from '../models/admin-models-query';
import { ImportForm } from './import-form';
import { providerPath } from './provider-columns';

const TYPING_MS = 500;
const MARKUP = /^\d{1,5}(\.\d{1,9})?$/;

/** Imports models that the endpoint of a provider lists. */
export function ImportPage() {
  const { id = '' } = useParams();
  const [markup, setMarkup] = useState('0');
  const [listProvider, setListProvider] = useState('');
  const [typed] = useDebouncedValue({ markup, listProvider }, TYPING_MS);
  const isMarkup = MARKUP.test(markup.trim());
  const markup_percent = MARKUP.test(typed.markup.trim()) ? typed.markup.trim() : '0';
  const list_provider = typed.listProvider.trim();
  // Every call lists the models of the real endpoint.
  const listing = useQuery({
    queryKey: ['admin', 'provider-models', id, markup_percent, list_provider],
    queryFn: ({ signal }) => listEndpointModels(id, { markup_percent, list_provider }, signal),
    placeholderData: keepPreviousData,
    refetchOnWindowFocus: false,
    retry: false,
  });
  const isApplied = markup.trim() === markup_percent && listProvider.trim() === list_provider;
  const catalog = useQuery(adminModelsQuery);
  return (
    <>
      <Anchor component={Link} to={providerPath(id)} size="sm" style={{ overflowWrap: 'anywhere' }}>
        Provider {id}
      </Anchor>
      <PageHeader
        title="Import models"
        description="Models that the endpoint lists. Prices are in USD per million tokens."
        actions={
          <Button
            variant="default"
            leftSection={<RefreshCw size={16} aria-hidden />}
            loading={listing.isFetching && !listing.isPending}
            onClick={() => void listing.refetch()}
          >
            Refresh
          </Button>
        }
      />
      <ImportForm
        key={id}
        providerId={id}
        listing={listing}
        catalog={catalog}
        isCurrent={isApplied && !listing.isPlaceholderData}
        markup={{ value: markup, onChange: setMarkup, isValid: isMarkup }}
        listProvider={{ value: listProvider, onChange: setListProvider }}
      />
    </>
  );
}
