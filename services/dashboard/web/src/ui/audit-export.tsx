import { Button, Group, Modal, Radio, Stack, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { type AuditFileFormat, type AuditFileRange, exportAudit } from '../api/audit';
import { ErrorState } from './error-state';
import { saveFile } from './save-file';

const DAY_MS = 86_400_000;
const DEFAULT_DAYS = 30;

interface AuditExportProps {
  /** The account's own log, or that of operators. */
  path: 'audit' | 'admin/audit';
  /** Of operators' log; empty: all accounts. */
  accountId?: string;
}

/** A button that downloads the audit log of some days as a file. */
export function AuditExport({ path, accountId = '' }: AuditExportProps) {
  const [opened, { open, close }] = useDisclosure();
  const download = useMutation({
    mutationFn: async (range: AuditFileRange) => {
      const { from, lastDay, format } = range;
      saveFile(`audit-${from}-to-${lastDay}.${format}`, await exportAudit(path, { ...range, accountId }));
    },
    onSuccess: close,
  });
  const cancel = () => {
    close();
    download.reset();
  };
  return (
    <>
      <Button variant="default" size="xs" leftSection={<Download size={14} aria-hidden />} onClick={open}>
        Export
      </Button>
      <Modal
        opened={opened}
        onClose={cancel}
        title={accountId ? 'Export the audit log of this account' : 'Export the audit log'}
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <ExportForm
          onSubmit={download.mutate}
          onCancel={cancel}
          isPending={download.isPending}
          error={download.error}
        />
      </Modal>
    </>
  );
}

interface FormProps {
  onSubmit: (range: AuditFileRange) => void;
  onCancel: () => void;
  isPending: boolean;
  error: Error | null;
}

function ExportForm({ onSubmit, onCancel, isPending, error }: FormProps) {
  const [from, setFrom] = useState(() => toDay(Date.now() - (DEFAULT_DAYS - 1) * DAY_MS));
  const [lastDay, setLastDay] = useState(() => toDay(Date.now()));
  const [format, setFormat] = useState<AuditFileFormat>('csv');
  const isValid = from !== '' && lastDay >= from;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isValid) onSubmit({ from, lastDay, format });
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <Group grow align="flex-start">
          <TextInput
            type="date"
            label="First day (UTC)"
            data-autofocus
            value={from}
            onChange={({ currentTarget }) => setFrom(currentTarget.value)}
          />
          <TextInput
            type="date"
            label="Last day (UTC)"
            value={lastDay}
            error={from && lastDay && !isValid ? 'Not before the first day' : undefined}
            onChange={({ currentTarget }) => setLastDay(currentTarget.value)}
          />
        </Group>
        <Radio.Group
          label="Format"
          value={format}
          onChange={(value) => setFormat(value === 'ndjson' ? 'ndjson' : 'csv')}
        >
          <Stack gap="xs" mt={4}>
            <Radio value="csv" label="CSV" description="For spreadsheets." />
            <Radio value="ndjson" label="NDJSON" description="A JSON object in each line." />
          </Stack>
        </Radio.Group>
        {error && <ErrorState error={error} title="Could not export the audit log" />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
          <Button type="submit" loading={isPending} disabled={!isValid}>
            Download
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

const toDay = (timeMs: number): string => new Date(timeMs).toISOString().slice(0, 10);
