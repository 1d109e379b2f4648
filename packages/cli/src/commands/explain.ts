import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { createGateway, type Explanation, type Prices } from '@sluice/core'
import type { Database } from '@sluice/core/store'
import { type Command, type CommandContext, CommandError, type Values } from '../command.ts'
import { textOf } from '../command-line/arguments.ts'
import { printable } from '../command-line/printable.ts'
import { recheckConfig } from '../config/check-config.ts'
import { compileConfig } from '../config/compile-config.ts'
import type { TypedConfig } from '../config/config.ts'
import { gatewayOptions } from '../config/gateway-options.ts'
import { loadConfig } from '../config/load-config.ts'
import { VendorPool } from '../config/providers/vendor-pool.ts'
import { hasPrice } from '../config/unpriced-budgets.ts'
import { explanationText } from '../explain/explanation-text.ts'
import { findPrincipal, type NamedCaller } from '../explain/find-principal.ts'
import { loadPrices, pricesText } from '../service/load-prices.ts'
import { openState } from '../state/open-state.ts'

/** `sluice explain`. */
export const explain: Command = {
  name: 'explain',
  summary: 'shows which targets a request would be sent to, and why',
  help: `
Usage: sluice explain (--key KEY | --as ID) --model NAME [options]

  --config FILE     configuration to use. Default: sluice.config.* in this folder
  --key KEY         the caller, by API key
  --as ID           the caller, by the id of a key: of the configuration, or in the database
  --model NAME      the requested model
  --path PATH       the endpoint, such as /responses or /messages. Default: /chat/completions
  --body FILE       the request body, as JSON; - reads it from standard input. Default: a short question
  --seed N          repeats random choices: the seed of a trace
  --json            prints JSON

Calls no vendor and uses no limits. The health of targets is known to the running service only. Exits with 1 if the
request would be rejected.

Example: sluice explain --as ann --model smart`,
  options: {
    config: { type: 'string' },
    key: { type: 'string' },
    as: { type: 'string' },
    model: { type: 'string' },
    path: { type: 'string' },
    body: { type: 'string' },
    seed: { type: 'string' },
    json: { type: 'boolean' },
  },
  async run(values, positionals, context) {
    const args = await parseArguments(values, positionals, context)
    const { config } = await loadConfig(args.config, context)
    const state = await openState(config.state, context, { only: 'database', create: false })
    try {
      const { gateway, prices } = await gatewayOf(config, args, state, context)
      try {
        const request = requestOf(config, args)
        const found = await gateway.explain(request, args.seed === undefined ? {} : { seed: args.seed })
        const unpriced = unpricedTargets(found, prices, context.now())
        context.print(
          args.json
            ? JSON.stringify({ ...found, unpriced }, refusalAsData, 2)
            : explanationText(found, pricesText(config), unpriced),
        )
        return found.refusal === undefined ? 0 : 1
      } finally {
        await gateway.close({ drainMs: 0 })
      }
    } finally {
      await state.close()
    }
  },
}

interface ExplainArguments {
  readonly config: string | undefined
  readonly key: string | undefined
  readonly as: string | undefined
  readonly path: string
  readonly body: string
  readonly seed: number | undefined
  readonly json: boolean
}

async function parseArguments(
  values: Values,
  positionals: readonly string[],
  context: CommandContext,
): Promise<ExplainArguments> {
  const given = (name: string) => textOf(values, name)
  const wrong = (message: string) => new CommandError(`explain: ${message}`, 2)
  const [first] = positionals
  if (first !== undefined) throw wrong(`got '${printable(first)}', expected options only.`)
  const [key, as, model, body, seed] = ['key', 'as', 'model', 'body', 'seed'].map(given)
  const path = given('path') ?? '/chat/completions'
  if ((key === undefined) === (as === undefined))
    throw wrong('the caller is missing, or given twice. Pass one of --key and --as.')
  if (model === undefined && body === undefined) throw wrong('the model is missing. Pass --model or --body.')
  if (!/^(?:\/[a-z_]+)+$/.test(path))
    throw wrong(`--path is '${printable(path)}', expected a path below the base path, such as /responses.`)
  if (seed !== undefined && !/^\d{1,10}$/.test(seed))
    throw wrong(`--seed is '${printable(seed)}', expected a whole number from 0.`)
  return {
    config: given('config'),
    key,
    as,
    path,
    body: bodyOf(body === undefined ? undefined : await bodyText(body, context), model, path),
    seed: seed === undefined ? undefined : Number(seed),
    json: values.json === true,
  }
}

async function bodyText(path: string, context: CommandContext): Promise<string> {
  if (path === '-') return text(process.stdin)
  return readFile(resolve(context.cwd, path), 'utf8').catch(() => {
    throw new CommandError(`explain: cannot read ${path} (--body).`)
  })
}

/** `--model` replaces the model of the body. */
function bodyOf(given: string | undefined, model: string | undefined, path: string): string {
  if (given === undefined) return JSON.stringify({ model, ...questionFor(path) })
  if (model === undefined) return given
  try {
    return JSON.stringify({ ...JSON.parse(given), model })
  } catch {
    throw new CommandError('explain: the body is not valid JSON.')
  }
}

function questionFor(path: string): object {
  if (path.startsWith('/responses') || path === '/embeddings' || path === '/moderations')
    return { input: 'Hello' }
  if (path === '/rerank') return { query: 'Hello', documents: ['Hello'] }
  if (path === '/completions') return { prompt: 'Hello' }
  const messages = [{ role: 'user', content: 'Hello' }]
  return path === '/messages' ? { max_tokens: 100, messages } : { messages }
}

async function gatewayOf(
  config: TypedConfig,
  args: ExplainArguments,
  state: Awaited<ReturnType<typeof openState>>,
  context: CommandContext,
): Promise<{ readonly gateway: ReturnType<typeof createGateway>; readonly prices: Prices }> {
  const { issues } = recheckConfig(config)
  const compiled = compileConfig(config, issues, new VendorPool())
  const prices = await loadPrices(config, context.cwd)
  const options = gatewayOptions(compiled, { ...state, prices, observe: () => {} })
  const used = { prices: options.prices ?? (() => null) }
  const { as } = args
  if (as === undefined) return { ...used, gateway: createGateway(options) }
  const named = await findCaller(as, config, state.database, context)
  const gateway = createGateway({
    ...options,
    authenticate: (_request, _host, report) => {
      if (named.principal === undefined) report?.(named.failure)
      return named.principal
    },
  })
  return { ...used, gateway }
}

/** The targets without a price, each as `provider/model`. */
function unpricedTargets(
  { model = '', candidates }: Explanation,
  prices: Prices,
  at: number,
): readonly string[] {
  return candidates
    .filter(({ provider, model: upstreamModel }) => !hasPrice(prices, { model, provider, upstreamModel }, at))
    .map(({ provider, model: upstreamModel }) => `${provider}/${upstreamModel}`)
}

async function findCaller(
  id: string,
  config: TypedConfig,
  database: Database | undefined,
  { now }: CommandContext,
): Promise<NamedCaller> {
  const found = await findPrincipal(id, config, database, now())
  if (found !== undefined) return found
  throw new CommandError(
    `explain: no key has the id '${printable(id)}', neither in the configuration nor in the database.`,
  )
}

function requestOf({ server }: TypedConfig, { key, path, body }: ExplainArguments): Request {
  return new Request(`http://sluice${server?.basePath ?? '/v1'}${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      // With --as nothing reads it: it makes the error that of an invalid key, not of a missing one.
      authorization: `Bearer ${key ?? 'as'}`,
    },
    body,
  })
}

/** `JSON.stringify` writes an error as an empty object. */
function refusalAsData(name: string, value: unknown): unknown {
  if (name !== 'refusal' || !(value instanceof Error)) return value
  const { status, code, message } = value as Error & { status?: number; code?: string }
  return { status, code, message }
}
