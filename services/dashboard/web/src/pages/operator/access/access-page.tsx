import { Stack } from '@mantine/core';
import { PageHeader } from '../../../ui/page-header';
import { InvitationsSection } from './invitations-section';
import { OperatorsSection } from './operators-section';

/** Who operates the gateway, and who may register. */
export function AccessPage() {
  return (
    <>
      <PageHeader title="Operators" description="Who operates this gateway, and invitations to register" />
      <Stack gap="lg">
        <OperatorsSection />
        <InvitationsSection />
      </Stack>
    </>
  );
}
