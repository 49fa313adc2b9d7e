import { Button, Group, Skeleton, Stack, Switch } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useNavigate, useSearchParams } from 'react-router';
import { type AdminModel, createModel, getAdminModel, type ModelInput } from '../../../api/admin-models';
import { ConfirmDialog } from '../../../ui/confirm-dialog';
import { ErrorState } from '../../../ui/error-state';
import { PageHeader } from '../../../ui/page-header';
import { priceChanges } from '../prices/price-changes';
import { PriceChangesList } from '../prices/price-changes-list';
import { fromPricing, toPrices } from '../prices/prices-draft';
import { PricesFields } from '../prices/prices-fields';
import { EntryFields } from './entry-fields';
import { FormProblems } from './form-problems';
import { emptyModel, fromModel, toChange } from './model-draft';
import { NO_PROBLEMS, type Problems, problemsOf } from './problems';

/** Creates a model, empty or as a copy of another: `?from=openai/gpt-x`. */
export function NewModel() {
  const from = useSearchParams()[0].get('from');
  const pattern = useQuery({
    queryKey: ['admin', 'model', from],
    queryFn: () => getAdminModel(from ?? ''),
    enabled: from !== null,
  });
  return (
    <>
      <PageHeader
        title="New model"
        description={from ? `Copied from ${from}` : 'Details, targets and prices'}
      />
      {from === null || pattern.data ? (
        <NewModelForm pattern={pattern.data} />
      ) : pattern.error ? (
        <ErrorState error={pattern.error} onRetry={() => void pattern.refetch()} />
      ) : (
        <Skeleton h={640} />
      )}
    </>
  );
}

function NewModelForm({ pattern }: { pattern: AdminModel | undefined }) {
  const [entry, setEntry] = useState(() =>
    pattern ? { ...fromModel(pattern), slug: '', aliases: [], successor: null } : emptyModel(),
  );
  const [prices, setPrices] = useState(() => fromPricing(pattern?.pricing ?? null));
  const [isActive, setActive] = useState(false);
  const [found, setFound] = useState<Problems>(NO_PROBLEMS);
  const [asked, setAsked] = useState<ModelInput>();
  const [asks, question] = useDisclosure();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const creating = useMutation({
    mutationFn: (input: ModelInput) => createModel(input),
    onSuccess: (made) => {
      queryClient.setQueryData(['admin', 'model', made.slug], made);
      void queryClient.invalidateQueries({ queryKey: ['admin', 'models'] });
      void queryClient.invalidateQueries({ queryKey: ['models'] });
      notifications.show({ message: `${made.name} is created.` });
      void navigate(`/operator/models/${made.slug}`);
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const { change, problems: ofEntry } = toChange(entry);
    const { prices: pricing, problems: ofPrices } = toPrices(prices);
    const problems = new Map([...ofEntry, ...ofPrices]);
    if (!entry.slug.trim()) problems.set('slug', 'A model needs a slug.');
    creating.reset();
    setFound(problems);
    if (problems.size > 0) return;
    const status = isActive ? 'active' : 'disabled';
    const input: ModelInput = { ...change, slug: entry.slug.trim(), status, pricing };
    if (!isActive) return creating.mutate(input);
    setAsked(input);
    question.open();
  };
  const problems = found.size > 0 ? found : problemsOf(creating.error);
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <EntryFields draft={entry} onChange={setEntry} problems={problems} isNew />
        <PricesFields
          draft={prices}
          onChange={setPrices}
          problems={problems}
          outputs={entry.output_modalities}
        />
        <Switch
          label="Active immediately"
          description="Otherwise it is disabled until you enable it"
          checked={isActive}
          onChange={(event) => setActive(event.currentTarget.checked)}
        />
        <FormProblems title="Model not created" problems={problems} error={creating.error} />
        <Group>
          <Button type="submit" loading={creating.isPending}>
            Create model
          </Button>
        </Group>
      </Stack>
      {asked && (
        <ConfirmDialog
          opened={asks}
          onClose={question.close}
          title={`Create ${asked.name} with these prices?`}
          confirm="Create model"
          // Its field shows the problem.
          action={() => creating.mutateAsync(asked).catch(() => question.close())}
        >
          <PriceChangesList changes={priceChanges(null, asked.pricing)} isNew />
        </ConfirmDialog>
      )}
    </form>
  );
}
