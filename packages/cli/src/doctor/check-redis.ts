import type { Redis } from 'ioredis'
import { CommandError } from '../command.ts'
import { codeOf } from '../command-line/error-code.ts'
import { loadIoredis } from '../state/state-packages.ts'
import type { ClockSample } from './check-upstreams.ts'
import { error, type Finding, ofCommandError, ok, warning } from './finding.ts'

const check = 'Redis'
const oldestMajor = 5

/** Checks that Redis answers, its version, and that it evicts no counters. Never rejects. */
export async function checkRedis(
  url: string,
  { cwd, now, deadlineMs }: { readonly cwd: string; readonly now: () => number; readonly deadlineMs: number },
): Promise<{ readonly findings: readonly Finding[]; readonly sample: ClockSample | undefined }> {
  const none = (finding: Finding) => ({ findings: [finding], sample: undefined })
  let client: Redis | undefined
  try {
    const { Redis } = await loadIoredis(cwd)
    client = new Redis(url, {
      lazyConnect: true,
      maxRetriesPerRequest: 0,
      retryStrategy: () => null,
      connectTimeout: deadlineMs,
      commandTimeout: deadlineMs,
      // It is INFO, whose failure would be printed.
      enableReadyCheck: false,
    })
    let failure: unknown
    client.on('error', each => {
      failure = each
    })
    await client.connect().catch((each: unknown) => {
      throw codeOf(each) === undefined ? (failure ?? each) : each
    })
    await client.ping()
    const info = await infoOf(client)
    const began = now()
    const [seconds] = await client.time()
    const sample = { host: 'Redis', theirs: Number(seconds) * 1_000 + 500, ours: (began + now()) / 2 }
    return { findings: info === undefined ? [withoutInfo] : [ofVersion(info), ofEviction(info)], sample }
  } catch (failure) {
    if (failure instanceof CommandError) {
      return none(ofCommandError(check, failure, 'Install the package, or remove state.redis.'))
    }
    // Its first word is Redis' own code, such as WRONGPASS. The rest can quote the command.
    const word =
      failure instanceof Error
        ? /^(?:NOAUTH|WRONGPASS|NOPERM|LOADING)\b/.exec(failure.message)?.[0]
        : undefined
    return none(
      error(
        check,
        `Cannot use Redis (${word ?? codeOf(failure) ?? 'timeout, or an invalid URL'}).`,
        "Check state.redis: 'redis://user:password@host:6379/0', and that the server runs and accepts this user.",
      ),
    )
  } finally {
    client?.disconnect()
  }
}

const withoutInfo: Finding = warning(
  check,
  'It answers, but its user may not call INFO: version, role and eviction are not checked.',
  'Run: redis-cli ACL SETUSER <user> +info, or check them by hand.',
)

/** Resolves to `undefined` where the user may not ask. A gateway needs no such permission. */
async function infoOf(client: Redis): Promise<ReadonlyMap<string, string> | undefined> {
  try {
    return parseInfo(await client.info())
  } catch (failure) {
    if (failure instanceof Error && failure.message.startsWith('NOPERM')) return undefined
    throw failure
  }
}

/** The fields of `INFO`. */
function parseInfo(text: string): ReadonlyMap<string, string> {
  return new Map(
    text.split(/\r?\n/).flatMap(line => {
      const at = line.indexOf(':')
      return at === -1 || line.startsWith('#') ? [] : [[line.slice(0, at), line.slice(at + 1)] as const]
    }),
  )
}

function ofVersion(info: ReadonlyMap<string, string>): Finding {
  const valkey = info.get('valkey_version')
  const version = valkey ?? info.get('redis_version') ?? 'unknown'
  const name = valkey === undefined ? 'Redis' : 'Valkey'
  if (info.get('role') === 'slave') {
    return error(
      check,
      `${name} ${version} is a replica, which cannot be written.`,
      'Set state.redis to the primary server.',
    )
  }
  if (Number.parseInt(version, 10) < oldestMajor) {
    return error(
      check,
      `${name} ${version} is older than ${oldestMajor}.`,
      `Update Redis to ${oldestMajor} or newer.`,
    )
  }
  return ok(check, `${name} ${version} answers`)
}

function ofEviction(info: ReadonlyMap<string, string>): Finding {
  const policy = info.get('maxmemory_policy') ?? 'unknown'
  if (policy === 'noeviction' || info.get('maxmemory') === '0') {
    return ok(
      `${check} eviction`,
      policy === 'noeviction' ? 'nothing is evicted' : 'no maximum of memory is set',
    )
  }
  return warning(
    `${check} eviction`,
    `maxmemory-policy is ${policy}: a full server evicts counters, and limits forget what was used.`,
    'Run: redis-cli CONFIG SET maxmemory-policy noeviction, and set it in redis.conf.',
  )
}
