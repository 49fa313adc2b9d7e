import { Code, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { keyState } from '../../api/key-state';
import type { ApiKey } from '../../api/keys';
import { listMembers } from '../../api/members';
import { CopyButton } from '../../ui/copy-button';
import { Section } from '../../ui/section';
import { StatusBadge } from '../../ui/status-badge';
import { Time } from '../../ui/time';
import { BARE_NAMES, bareNamesOf } from './bare-names';
import { scopeLabel } from './key-scopes';

/** Properties of a key other than its limits. */
export function KeyDetails({ apiKey }: { apiKey: ApiKey }) {
  const {
    id,
    hint,
    created_at,
    expires_at,
    allowed_models,
    bare_model_names,
    fallback_models,
    unsupported_tools,
    detailed_messages,
  } = apiKey;
  const { scopes, allowed_ips, holder_ids } = apiKey;
  return (
    <Section title="Details">
      <Stack component="dl" gap="xs" m={0}>
        <Detail title="Status">
          <StatusBadge status={keyState(apiKey, Date.now())} />
        </Detail>
        <Detail title="Value">
          <Code>sk-gw-…{hint}</Code>
        </Detail>
        <Detail title="ID">
          <Group gap={4} wrap="nowrap" justify="flex-end">
            <Code style={{ overflowWrap: 'anywhere' }}>{id}</Code>
            <CopyButton value={id} label="Copy key ID" />
          </Group>
        </Detail>
        <Detail title="Created">
          <Time at={created_at} />
        </Detail>
        <Detail title="Expires">{expires_at ? <Time at={expires_at} /> : 'Never'}</Detail>
        <Detail title="Models">
          {allowed_models.length === 0 ? (
            'All'
          ) : (
            <Group gap={4} justify="flex-end">
              {allowed_models.map((slug) => (
                <Code key={slug}>{slug}</Code>
              ))}
            </Group>
          )}
        </Detail>
        <Detail title="Scopes">{scopes === null ? 'Everything' : scopes.map(scopeLabel).join(', ')}</Detail>
        <Detail title="IP addresses">
          {allowed_ips === null ? (
            'All'
          ) : (
            <Group gap={4} justify="flex-end">
              {allowed_ips.map((range) => (
                <Code key={range}>{range}</Code>
              ))}
            </Group>
          )}
        </Detail>
        {holder_ids.length > 0 && (
          <Detail title="Value known to">
            <Holders ids={holder_ids} />
          </Detail>
        )}
        <Detail title="Names without a provider">{BARE_NAMES[bareNamesOf(bare_model_names)]}</Detail>
        <Detail title="Fallback models">{fallback_models ? 'Allowed' : 'Not allowed'}</Detail>
        <Detail title="Unsupported tools">{unsupported_tools === 'drop' ? 'Left out' : 'Refused'}</Detail>
        <Detail title="Error messages">{detailed_messages ? 'With details' : 'Without details'}</Detail>
      </Stack>
    </Section>
  );
}

/** More than an account may have. */
const ALL_MEMBERS = 100;

/** The users to whom the value was shown. */
function Holders({ ids }: { ids: readonly string[] }) {
  const members = useQuery({
    queryKey: ['members', 'names'],
    queryFn: () => listMembers(undefined, ALL_MEMBERS),
  });
  if (!members.data) return '…';
  const names = ids.map(
    (id) => members.data.data.find((member) => member.id === id)?.name ?? 'a removed member',
  );
  return [...new Set(names)].join(', ');
}

function Detail({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Group justify="space-between" align="baseline" wrap="nowrap" gap="md" mih={26}>
      <Text component="dt" size="sm" c="dimmed" style={{ flex: 'none' }}>
        {title}
      </Text>
      <Text component="dd" size="sm" m={0} ta="right">
        {children}
      </Text>
    </Group>
  );
}
