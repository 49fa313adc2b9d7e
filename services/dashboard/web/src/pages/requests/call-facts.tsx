import { Anchor, Group, Paper, Text, Title } from '@mantine/core';
import { Link } from 'react-router';
import { modelPath } from '../../api/models';
import type { RequestRecord } from '../../api/requests';
import { CopyButton } from '../../ui/copy-button';
import { type Fact, Facts } from '../../ui/facts';
import { Time } from '../../ui/time';

interface CallFactsProps {
  record: RequestRecord;
  keyName: string;
  keyIsThere: boolean;
}

/** Who called what, and the id to report. */
export function CallFacts({ record, keyName, keyIsThere }: CallFactsProps) {
  const { id, model, provider, endpoint, key_id, streamed, created_at, task_id, in_progress } = record;
  const facts: Fact[] = [
    ['When', <Time key="when" at={created_at} />],
    ['Endpoint', <code key="endpoint">{endpoint}</code>],
    [
      'Model',
      model && (
        <Anchor key="model" component={Link} to={`/models/${modelPath(model)}`} inherit>
          {model}
        </Anchor>
      ),
    ],
    ['Provider', provider ?? (in_progress ? null : 'none')],
    [
      'Key',
      keyIsThere ? (
        <Anchor key="key" component={Link} to={`/keys/${key_id}`} inherit>
          {keyName}
        </Anchor>
      ) : (
        keyName
      ),
    ],
    ['Streamed', streamed ? 'yes' : 'no'],
    ['Video task', task_id && <Id key="task" value={task_id} label="Copy task ID" />],
    ['Request ID', <Id key="id" value={id} label="Copy request ID" />],
  ];
  return (
    <Paper withBorder p="md">
      <Title order={2} size="h5" mb="xs">
        Call
      </Title>
      <Facts facts={facts} />
    </Paper>
  );
}

function Id({ value, label }: { value: string; label: string }) {
  return (
    <Group gap={4} wrap="nowrap" justify="flex-end">
      <Text span size="xs" ff="monospace">
        {value}
      </Text>
      <CopyButton value={value} label={label} />
    </Group>
  );
}
