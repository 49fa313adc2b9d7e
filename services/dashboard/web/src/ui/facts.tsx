import { Box, Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './facts.module.css';

export type Fact = readonly [name: string, value: ReactNode];

/** A list of names and values; empty values are left out. */
export function Facts({ facts }: { facts: readonly Fact[] }) {
  return (
    <Box component="dl" className={classes.list}>
      {facts
        .filter(([, value]) => value !== null && value !== undefined && value !== '')
        .map(([name, value]) => (
          <Group
            key={name}
            justify="space-between"
            align="baseline"
            wrap="nowrap"
            gap="md"
            className={classes.row}
          >
            <Text component="dt" size="sm" c="dimmed">
              {name}
            </Text>
            <Text component="dd" size="sm" m={0} ta="right" className={classes.value}>
              {value}
            </Text>
          </Group>
        ))}
    </Box>
  );
}
