import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { createGateway } from '@sluice/core'
import type { Database } from '@sluice/core/store'
import { type Command, type CommandContext, CommandFault, type Values } from '../command.ts'
import { checkMade } from '../config/check-config.ts'
import { compileConfig } from '../config/compile-config.ts'
import type { TypedConfig } from '../config/config.ts'
import { gatewayOptions } from '../config/gateway-options.ts'
import { loadConfig } from '../config/load-config.ts'
import { VendorPool } from '../config/providers/vendor-pool.ts'
import { explanationText } from '../explain/explanation-text.ts'
import { type NamedCaller, principalNamed } from '../explain/principal-named.ts'
import { listedPrices } from '../service/listed-prices.ts'
import { openState } from '../state/open-state.ts'

/** `sluice explain`. */
export const explain: Command = {
  name: 'explain',
  summary: 'tells where a request would go, and why',
  help: `
Usage: sluice explain (--key KEY | --as ID) --model NAME [options]

  --config FILE     the configuration. Default: sluice.config.* of this folder
  --key KEY         the caller, by a key
  --as ID           the caller, by the id of a key: of the configuration, or one that was issued
  --model NAME      the model that is asked for
  --body FILE       the body of the request, as JSON; - reads it from standard input. Default: a short question
  --seed N          decides by chance as it was decided then: the seed of a trace
  --json            prints all of it as JSON

Nobody is asked, and no room is taken. Which places are left alone at the moment only the service itself knows. Exits with
1 where the request would be refused.

Example: sluice explain --as ann --model smart`,
  options: {
    config: { type: 'string' },
    key: { type: 'string' },
    as: { type: 'string' },
    model: { type: 'string' },
    body: { type: 'string' },
    seed: { type: 'string' },
    json: { type: 'boolean' },
  },
  async run(values, positionals, world) {
    const asked = await askedOf(values, positionals, world)
    const { config } = await loadConfig(asked.config, world)
    const state = await openState(config.state, world, { only: 'database', create: false })
    try {
      const gateway = await gatewayOf(config, asked, state, world)
      try {
        const request = requestOf(config, asked)
        const found = await gateway.explain(request, asked.seed === undefined ? {} : { seed: asked.seed })
        world.print(asked.json ? JSON.stringify(found, refusalAsData, 2) : explanationText(found))
        return found.refusal === undefined ? 0 : 1
      } finally {
        await gateway.close({ drainMs: 0 })
      }
    } finally {
      await state.close()
    }
  },
}

interface Asked {
  readonly config: string | undefined
  readonly key: string | undefined
  readonly as: string | undefined
  readonly body: string
  readonly seed: number | undefined
  readonly json: boolean
}

async function askedOf(
  values: Values,
  positionals: readonly string[],
  world: CommandContext,
): Promise<Asked> {
  const given = (name: string) => (typeof values[name] === 'string' ? values[name] : undefined)
  const wrong = (message: string) => new CommandFault(`explain: ${message}`, 2)
  const [first] = positionals
  if (first !== undefined) throw wrong(`got '${first}', expected options only.`)
  const [key, as, model, body, seed] = ['key', 'as', 'model', 'body', 'seed'].map(given)
  if ((key === undefined) === (as === undefined)) throw wrong('say who asks, by one of --key and --as.')
  if (model === undefined && body === undefined) throw wrong('say what is asked for, by --model or --body.')
  if (seed !== undefined && !/^\d{1,10}$/.test(seed))
    throw wrong(`--seed is '${seed}', expected a whole number from 0.`)
  return {
    config: given('config'),
    key,
    as,
    body: bodyOf(body === undefined ? undefined : await bodyText(body, world), model),
    seed: seed === undefined ? undefined : Number(seed),
    json: values.json === true,
  }
}

async function bodyText(path: string, world: CommandContext): Promise<string> {
  if (path === '-') return text(process.stdin)
  return readFile(resolve(world.cwd, path), 'utf8').catch(() => {
    throw new CommandFault(`explain: the file ${path} of --body cannot be read.`)
  })
}

/** The model of the command line stands in the place of the body's. */
function bodyOf(given: string | undefined, model: string | undefined): string {
  if (given === undefined) return JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] })
  if (model === undefined) return given
  try {
    return JSON.stringify({ ...JSON.parse(given), model })
  } catch {
    throw new CommandFault('explain: the body is no JSON.')
  }
}

async function gatewayOf(
  config: TypedConfig,
  asked: Asked,
  state: Awaited<ReturnType<typeof openState>>,
  world: CommandContext,
): Promise<ReturnType<typeof createGateway>> {
  const { faults } = checkMade(config)
  const compiled = compileConfig(config, faults, new VendorPool())
  const prices = await listedPrices(config, world.cwd)
  const options = gatewayOptions(compiled, { ...state, prices, observe: () => {} })
  const { as } = asked
  if (as === undefined) return createGateway(options)
  const named = await namedOrRefused(as, config, state.database, world)
  return createGateway({
    ...options,
    authenticate: (_request, _host, report) => {
      if (named.principal === undefined) report?.(named.failure)
      return named.principal
    },
  })
}

async function namedOrRefused(
  id: string,
  config: TypedConfig,
  database: Database | undefined,
  { now }: CommandContext,
): Promise<NamedCaller> {
  const found = await principalNamed(id, config, database, now())
  if (found !== undefined) return found
  throw new CommandFault(
    `explain: nobody has the id '${id}': neither a key of the configuration nor an issued one.`,
  )
}

function requestOf({ server }: TypedConfig, { key, body }: Asked): Request {
  return new Request(`http://sluice${server?.basePath ?? '/v1'}/chat/completions`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      // With --as nobody reads it: it makes the refusal that of a wrong key, not that of a missing one.
      authorization: `Bearer ${key ?? 'as'}`,
    },
    body,
  })
}

/** An error is empty as JSON. */
function refusalAsData(name: string, value: unknown): unknown {
  if (name !== 'refusal' || !(value instanceof Error)) return value
  const { status, code, message } = value as Error & { status?: number; code?: string }
  return { status, code, message }
}
