import { Group, Paper, Table, Text, Title } from '@mantine/core';
import type { RequestTimings } from '../api/requests';
import { formatDuration } from './format-time';
import classes from './timing-bar.module.css';
import { type Stage, stagesOf, widthsOf } from './timing-stages';

const colorOf = ({ color }: Stage): string => `var(--mantine-color-${color}-${color === 'gray' ? 5 : 6})`;

/** Duration of each stage, as a bar and as a table. */
export function TimingBar({ timings }: { timings: RequestTimings | null }) {
  return (
    <Paper withBorder p="md">
      <Group justify="space-between" mb="sm">
        <Title order={2} size="h5">
          Time
        </Title>
        {timings && <Text fw={600}>{formatDuration(timings.total_ms)}</Text>}
      </Group>
      {timings ? (
        <Stages stages={stagesOf(timings)} />
      ) : (
        <Text size="sm" c="dimmed">
          The process that handled this request ended before it recorded the timing.
        </Text>
      )}
    </Paper>
  );
}

function Stages({ stages }: { stages: readonly Stage[] }) {
  const widths = widthsOf(stages);
  return (
    <>
      <div className={classes.bar} aria-hidden>
        {stages.map((stage, index) => (
          <div key={stage.name} style={{ width: `${widths[index]}%`, background: colorOf(stage) }} />
        ))}
      </div>
      <Table mt="sm" verticalSpacing={6} aria-label="Time by stage">
        <Table.Tbody>
          {stages.map((stage) => (
            <Table.Tr key={stage.name}>
              <Table.Td pl={0}>
                <Group gap={8} wrap="nowrap" align="baseline">
                  <span className={classes.swatch} style={{ background: colorOf(stage) }} aria-hidden />
                  <Text span size="sm">
                    {stage.name}
                    <Text span size="xs" c="dimmed" display="block">
                      {stage.what}
                    </Text>
                  </Text>
                </Group>
              </Table.Td>
              <Table.Td ta="right" pr={0} style={{ whiteSpace: 'nowrap', verticalAlign: 'top' }}>
                {formatDuration(stage.ms)}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </>
  );
}
