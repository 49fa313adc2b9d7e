import { Anchor, SimpleGrid, Skeleton, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Search } from 'lucide-react';
import { useState } from 'react';
import { Link, useSearchParams } from 'react-router';
import { ErrorState } from '../../../ui/error-state';
import { PageHeader } from '../../../ui/page-header';
import { type Choice, choicesOf, matches } from './connect-choices';
import { ConnectForm } from './connect-form';
import classes from './connect-page.module.css';
import { kindName } from './kind-name';
import { presetsQuery, providersQuery } from './providers-query';

/** Connects a provider: the choice of its endpoint, then its form, `?endpoint=groq`. */
export function ConnectPage() {
  const [search] = useSearchParams();
  const presets = useQuery(presetsQuery);
  const providers = useQuery({ ...providersQuery, refetchInterval: false });
  const choices = presets.data && choicesOf(presets.data);
  const chosen = choices?.find(({ key }) => key === search.get('endpoint'));
  const error = presets.error ?? providers.error;
  return (
    <>
      {chosen ? (
        <Anchor component={Link} to={pathTo(search, null)} size="sm">
          All endpoints
        </Anchor>
      ) : (
        <Anchor component={Link} to="/operator/providers" size="sm">
          All providers
        </Anchor>
      )}
      <PageHeader
        title={
          chosen
            ? `Connect ${chosen.suggestedId === 'custom' ? 'an endpoint' : chosen.name}`
            : 'Connect provider'
        }
        description={
          chosen
            ? `${kindName(chosen.kind)} API`
            : 'Choose an endpoint; its address and its differences are filled in'
        }
      />
      {choices && providers.data ? (
        chosen ? (
          <ConnectForm
            key={chosen.key}
            choice={chosen}
            providers={providers.data.data}
            wantedId={search.get('id')}
          />
        ) : (
          <Choices choices={choices} />
        )
      ) : error ? (
        <ErrorState
          error={error}
          onRetry={() => void Promise.all([presets.refetch(), providers.refetch()])}
        />
      ) : (
        <Skeleton h={480} />
      )}
    </>
  );
}

function Choices({ choices }: { choices: readonly Choice[] }) {
  const [search] = useSearchParams();
  const [text, setText] = useState('');
  const other = choices.at(-1)!;
  const found = choices.filter((choice) => choice !== other && matches(choice, text));
  return (
    <Stack>
      <TextInput
        type="search"
        aria-label="Search endpoints"
        placeholder="Name or address"
        leftSection={<Search size={16} aria-hidden />}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        maw={360}
      />
      <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }} spacing="sm">
        {/* Whatever is searched for: what is not found can be connected too. */}
        {[other, ...found].map((choice) => (
          <Link key={choice.key} to={pathTo(search, choice.key)} className={classes.choice}>
            <Text size="sm" fw={500}>
              {choice.name}
            </Text>
            <Text size="xs" c="dimmed" truncate>
              {hostOf(choice)}
            </Text>
          </Link>
        ))}
      </SimpleGrid>
    </Stack>
  );
}

function pathTo(search: URLSearchParams, endpoint: string | null): string {
  const next = new URLSearchParams(search);
  if (endpoint === null) next.delete('endpoint');
  else next.set('endpoint', endpoint);
  return `/operator/providers/new?${next}`;
}

/** Without the scheme and the path. */
const hostOf = ({ baseUrl, hasUrlByOptions }: Choice): string =>
  /^https?:\/\/([^/]+)/.exec(baseUrl)?.[1]?.replace(/^\{\w*host\}/, 'your host') ??
  (hasUrlByOptions ? 'your region or resource' : 'Any address, with or without a key');
