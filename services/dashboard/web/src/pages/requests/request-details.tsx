import { Anchor, Group, Text } from '@mantine/core';
import { Link } from 'react-router';
import { modelPath } from '../../api/models';
import type { RequestRecord } from '../../api/requests';
import { CopyButton } from '../../ui/copy-button';
import type { Fact } from '../../ui/facts';
import { RequestFacts } from '../../ui/request-layout';
import { Time } from '../../ui/time';

interface RequestDetailsProps {
  record: RequestRecord;
  keyName: string;
  keyExists: boolean;
}

/** When, with which key and for which model the request was made, and its ID for a bug report. */
export function RequestDetails({ record, keyName, keyExists }: RequestDetailsProps) {
  const { id, model, provider, endpoint, key_id, streamed, created_at, task_id, in_progress } = record;
  const { requested_model } = record;
  const facts: Fact[] = [
    ['Time', <Time key="time" at={created_at} />],
    ['Endpoint', <code key="endpoint">{endpoint}</code>],
    [
      'Model',
      model && (
        <Anchor key="model" component={Link} to={`/models/${modelPath(model)}`} inherit>
          {model}
        </Anchor>
      ),
    ],
    ['Requested model', requested_model],
    ['Provider', provider ?? (in_progress ? null : 'none')],
    [
      'Key',
      keyExists ? (
        <Anchor key="key" component={Link} to={`/keys/${key_id}`} inherit>
          {keyName}
        </Anchor>
      ) : (
        keyName
      ),
    ],
    ['Streamed', streamed ? 'Yes' : 'No'],
    ['Video task', task_id && <Id key="task" value={task_id} label="Copy task ID" />],
    ['Request ID', <Id key="id" value={id} label="Copy request ID" />],
  ];
  return <RequestFacts facts={facts} />;
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
