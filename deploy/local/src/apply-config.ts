/** Sends a POST to the dashboard's API. @param path below `/api/v1/` */
export type Post = (
  path: string,
  body: object,
  token?: string,
) => Promise<{ readonly status: number; readonly body: unknown }>;

export interface Operator {
  readonly email: string;
  readonly password: string;
}

export interface AppliedConfig {
  readonly applied: boolean;
  readonly problems: readonly { readonly path: string; readonly message: string }[];
  readonly changes: readonly Change[];
}

interface Change {
  readonly path: string;
  /** Null: there is no value. */
  readonly from: unknown;
  readonly to: unknown;
}

/** Applies a configuration by the operator API, or only compares it. @throws Error if the gateway refuses the call */
export async function applyConfig(
  post: Post,
  { email, password }: Operator,
  config: object,
  isDryRun: boolean,
): Promise<AppliedConfig> {
  const login = await post('auth/login', { email, password });
  if (login.status === 401) throw new Error(`${email} can't log in: wrong email or password.`);
  const { token } = okOf(login, 'the login') as { token: string };
  const planned = okOf(await post('admin/config/diff', config, token), 'the configuration') as AppliedConfig;
  if (isDryRun || planned.problems.length > 0) return planned;
  return okOf(await post('admin/config/apply', config, token), 'the configuration') as AppliedConfig;
}

function okOf({ status, body }: Awaited<ReturnType<Post>>, what: string): unknown {
  if (status === 200) return body;
  throw new Error(`The gateway answered ${status} to ${what}: ${JSON.stringify(body)}`);
}

/** Returns a line such as `~ providers.groq.enabled: true → false`. */
export function describeChange({ path, from, to }: Change): string {
  if (from === null) return `+ ${path}: ${JSON.stringify(to)}`;
  if (to === null) return `- ${path}: ${JSON.stringify(from)}`;
  return `~ ${path}: ${JSON.stringify(from)} → ${JSON.stringify(to)}`;
}
