import { Radio, Stack } from '@mantine/core';
import type { Role } from '../../api/auth';
import { ROLES } from './roles';

interface RoleInputProps {
  value: Role;
  onChange: (value: Role) => void;
  error?: string | undefined;
}

export function RoleInput({ value, onChange, error }: RoleInputProps) {
  return (
    <Radio.Group label="Role" value={value} onChange={(role) => onChange(role as Role)} error={error}>
      <Stack gap="xs" mt="xs">
        {ROLES.map((role) => (
          <Radio key={role.value} {...role} />
        ))}
      </Stack>
    </Radio.Group>
  );
}
