import type { Target } from '@sluice/core'
import { codeOf } from '../command-line/error-code.ts'
import { error, type Finding, ok, warning } from './finding.ts'

/** A provider of a configuration: a function that returns the target of a model. */
export interface CheckedProvider {
  readonly name: string
  readonly make: (model: string) => Target
}

/** The time of a vendor, and when it was received, in milliseconds since 1970. */
export interface ClockSample {
  readonly host: string
  readonly theirs: number
  readonly ours: number
}

interface CheckedUpstream {
  readonly findings: readonly Finding[]
  readonly sample: ClockSample | undefined
}

interface UpstreamOptions {
  readonly fetch: typeof fetch
  readonly now: () => number
  readonly deadlineMs: number
}

/**
 * Calls the list of models of a provider with its keys, as nothing is charged for it; where there is no such list, its host
 * alone. Each call has a deadline. Never rejects.
 */
export async function checkUpstream(
  { name, make }: CheckedProvider,
  options: UpstreamOptions,
): Promise<CheckedUpstream> {
  const check = `provider ${name}`
  const { provider } = make('doctor')
  const keys = provider.keys?.map(({ id }) => id) ?? [undefined]
  const results = await Promise.all(
    keys.map(async key => {
      const signal = AbortSignal.timeout(options.deadlineMs)
      const label = key === undefined ? check : `${check}, ${key}`
      try {
        const input = { model: 'doctor', messages: [{ role: 'user' as const, content: 'x' }] }
        const { url, headers } = await provider.encode({
          input,
          model: 'doctor',
          signal,
          ...(key && { key }),
        })
        return await callHost(label, new URL(url), headers, signal, options)
      } catch (failure) {
        return { finding: ofEncoding(label, name, failure, signal.aborted, options), sample: undefined }
      }
    }),
  )
  return {
    findings: results.flatMap(({ finding }) => (finding === undefined ? [] : [finding])),
    sample: results.find(({ sample }) => sample !== undefined)?.sample,
  }
}

/** A provider may call somebody for a token first, or have no chat at all. */
function ofEncoding(
  check: string,
  name: string,
  failure: unknown,
  isLate: boolean,
  { deadlineMs }: UpstreamOptions,
): Finding {
  if (isLate || codeOf(failure) !== undefined) {
    return ofFailure(check, `the token server of ${name}`, failure, isLate, deadlineMs)
  }
  return warning(
    check,
    'It is not checked: no chat request can be made for it.',
    'Call one of its models, such as in the console.',
  )
}

interface Called {
  /** `undefined` for a provider that answers in this process. */
  readonly finding: Finding | undefined
  readonly sample: ClockSample | undefined
}

async function callHost(
  check: string,
  url: URL,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
  { fetch, now, deadlineMs }: UpstreamOptions,
): Promise<Called> {
  if (!/^https?:$/.test(url.protocol)) return { finding: undefined, sample: undefined }
  const { host } = url
  const list = listOfModels(url)
  const began = now()
  try {
    const response = await fetch(list ?? new URL('/', url), {
      headers: list === undefined ? {} : withoutBody(headers),
      redirect: 'manual',
      signal,
    })
    const ours = (began + now()) / 2
    await response.body?.cancel()
    const theirs = Date.parse(response.headers.get('date') ?? '')
    const proof = list && response.ok ? await proofOf(list, headers, signal, fetch) : undefined
    return {
      finding:
        list === undefined
          ? ok(check, `${host} is reachable; its key is not checked, as it has no list of models`)
          : ofStatus(check, host, response.status, proof),
      sample: Number.isNaN(theirs) ? undefined : { host, theirs, ours },
    }
  } catch (failure) {
    return { finding: ofFailure(check, host, failure, signal.aborted, deadlineMs), sample: undefined }
  }
}

const credentialNames = new Set(['authorization', 'api-key', 'x-api-key', 'x-goog-api-key'])

/** What a list of models says of the key that it was called with. Some vendors give it to everybody. */
async function proofOf(
  list: URL,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
  call: typeof fetch,
): Promise<string> {
  if (!Object.keys(headers).some(name => credentialNames.has(name.toLowerCase()))) return 'answers'
  const response = await call(list, { redirect: 'manual', signal })
  await response.body?.cancel()
  return response.ok
    ? 'answers; its key is not checked, as its list of models needs none'
    : 'answers, and accepts the key'
}

/** The URL of the list of models beside the one of a request; `undefined` where none is known. */
export function listOfModels(url: URL): URL | undefined {
  const path = url.pathname
    .replace(/\/(?:chat\/completions|messages|responses)$/, '/models')
    .replace(/\/models\/[^/]+:[A-Za-z]+$/, '/models')
  if (path === url.pathname || /\/publishers\/|\/deployments\//.test(path)) return undefined
  const list = new URL(url)
  list.pathname = path
  return list
}

/** A list is asked for without a body. */
function withoutBody(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !/^(?:content-(?:type|length)|accept)$/i.test(name)),
  )
}

function ofStatus(check: string, host: string, status: number, proof: string | undefined): Finding {
  if (proof !== undefined) return ok(check, `${host} ${proof}`)
  if (status === 401 || status === 403) {
    return error(
      check,
      `${host} rejects the key (${status}).`,
      'Set a key of that vendor that is valid, and allowed to list models.',
    )
  }
  if (status === 429) {
    return warning(
      check,
      `${host} answers 429: its rate limit or quota is used up.`,
      "Check the account's quota.",
    )
  }
  if (status >= 500) {
    return warning(
      check,
      `${host} answers ${status}.`,
      "Try again later, and look at the vendor's status page.",
    )
  }
  return ok(check, `${host} is reachable; its key is not checked (${status})`)
}

function ofFailure(
  check: string,
  host: string,
  failure: unknown,
  isLate: boolean,
  deadlineMs: number,
): Finding {
  if (isLate) {
    return error(
      check,
      `${host} did not answer within ${deadlineMs} ms.`,
      'Check the firewall and the proxy between this machine and the vendor.',
    )
  }
  const code = codeOf(failure) ?? 'unknown'
  if (/^(?:ENOTFOUND|EAI_)/.test(code)) {
    return error(
      check,
      `The name ${host} is not found (${code}).`,
      'Check its baseURL, resource, region or location, and the DNS of this machine.',
    )
  }
  if (/CERT|TLS|SSL|SIGNATURE/.test(code)) {
    return error(
      check,
      `The certificate of ${host} is not accepted (${code}).`,
      'Add the certificate authority by NODE_EXTRA_CA_CERTS, or correct baseURL.',
    )
  }
  return error(
    check,
    `Cannot connect to ${host} (${code}).`,
    'Check baseURL, and that the server runs and can be reached from this machine.',
  )
}
