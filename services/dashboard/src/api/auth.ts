import { z } from 'zod';
import { emailAddress, id, type Json, type JsonBody, label, role, time } from './fields';

const token = {
  token: z.string().meta({ description: 'For `Authorization: Bearer`; valid for 15 minutes' }),
  expires_at: time,
};
export const tokenResponse = z.object(token).meta({ id: 'Token' });
export const loginResponse = z
  .object({
    ...token,
    must_change_password: z.boolean().meta({
      description:
        'The password was given by somebody else: `POST auth/password` must replace it before other calls',
    }),
  })
  .meta({ id: 'Login' });
export const registrationModeResponse = z.object({
  registration: z.enum(['open', 'invite', 'off']).meta({ description: 'Who may register an account' }),
});
export const registrationResponse = z
  .object({
    ...token,
    account: z.object({ id }),
    user: z.object({ id, email: z.string(), name: z.string() }),
  })
  .meta({ id: 'Registration' });
export const meResponse = z
  .object({
    user: z.object({ id, email: z.string(), name: z.string() }),
    account: z.object({
      id,
      name: z.string(),
      status: z.enum(['active', 'suspended']),
      preview_models: z
        .array(z.string())
        .meta({ description: 'Preview models that the account has opted in to' }),
    }),
    role,
    operator: z.boolean().meta({ description: 'May call `admin/…`' }),
    must_change_password: z.boolean(),
    api_url: z.string().nullable().meta({ description: 'Origin of `/v1`, if it is configured' }),
    cells: z
      .array(z.string())
      .meta({ description: "Names of the gateway's cells, `home` first; for operators, otherwise empty" }),
  })
  .meta({ id: 'Me' });
export const loggedOutResponse = z.object({ logged_out: z.literal(true) });
export const passwordChangedResponse = z.object({ id, changed: z.literal(true) });

export const registerBody = z.strictObject({
  email: emailAddress,
  password: z.string().min(1),
  name: label(200),
  invitation: z
    .string()
    .max(200)
    .nullish()
    .meta({ description: 'Code of an invitation; required if registration is by invitation' }),
});

/** Any email: an unknown one is refused as such, whatever its format. */
const given = z.string().min(1).max(1_000);

export const passwordBody = z.strictObject({ password: given, new_password: z.string().min(1) });

export const loginBody = z.strictObject({ email: given, password: given });

export type Me = Json<typeof meResponse>;
/** Who may register an account. */
export type RegistrationMode = Json<typeof registrationModeResponse>;
export type Registration = RegistrationMode['registration'];
export type SignUp = JsonBody<typeof registerBody>;
export type Token = Json<typeof tokenResponse>;
export type PasswordChanged = Json<typeof passwordChangedResponse>;
export type LoginInput = JsonBody<typeof loginBody>;
export type PasswordChange = JsonBody<typeof passwordBody>;
