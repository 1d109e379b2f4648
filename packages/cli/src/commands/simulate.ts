import {
  type Crash,
  type Outage,
  simulate as runSimulation,
  type SimulationOptions,
  SimulationSummary,
  type UpstreamModel,
} from '@sluice/testing/simulation'
import { type Command, type CommandContext, CommandError, type Values } from '../command.ts'
import { textOf, textsOf } from '../command-line/arguments.ts'
import { parseDuration } from '../command-line/parse-time.ts'
import { printable } from '../command-line/printable.ts'
import { suggest } from '../config/issues/issue-list.ts'
import { parseCrash } from '../simulate/crash-option.ts'
import { parseOutage, type TypedOutage } from '../simulate/outage-option.ts'
import { readTraffic, type SimulatedTraffic } from '../simulate/read-traffic.ts'
import { loadSimulatedConfig, type SimulatedConfig } from '../simulate/simulated-config.ts'
import { type SimulatedRun, simulationText } from '../simulate/simulation-text.ts'

/** `sluice simulate`. */
export const simulate: Command = {
  name: 'simulate',
  summary: 'shows what traffic and outages would do to a configuration, on a virtual clock',
  help: `
Usage: sluice simulate [CONFIG] --traffic FILE [options]

  CONFIG            configuration to simulate. Default: sluice.config.* in this folder
  --traffic FILE    what clients send: YAML or JSON, or a request log (sluice logs --jsonl)
  --outage WHAT     a provider and when its calls fail: openai:10m..25m, optionally with how: :unreachable, :timeout,
                    :cut or a status. Default 503. Can be repeated
  --crash WHAT      a gateway, by its number from 0, and when it crashes: 0:10m, or 0:10m..12m with when it runs again.
                    Default: after 5 seconds. Can be repeated
  --skew DURATION   how much the clocks of gateways are wrong at most, such as 2s. Default 0
  --compare CONFIG  a second configuration, with the same traffic and seed, side by side
  --gateways COUNT  number of gateways, 1 to 10000. Default: as the traffic file says, or 1
  --seed N          determines all random numbers. Default 1
  --json            prints JSON

Runs the gateway itself with modelled upstreams, stores and clients. Calls no vendor, opens no socket and needs no keys.
The same files and the same seed give the same result.

Example: sluice simulate sluice.config.yaml --traffic traffic.yaml --outage openai:10m..25m`,
  options: {
    traffic: { type: 'string' },
    outage: { type: 'string', multiple: true },
    crash: { type: 'string', multiple: true },
    skew: { type: 'string' },
    compare: { type: 'string' },
    gateways: { type: 'string' },
    seed: { type: 'string' },
    json: { type: 'boolean' },
  },
  async run(values, positionals, context) {
    const args = parseArguments(values, positionals)
    const traffic = await readTraffic(args.traffic, context.cwd, args.gateways)
    const paths = args.compare === undefined ? [args.config] : [args.config, args.compare]
    const configs: SimulatedConfig[] = []
    for (const path of paths) configs.push(await loadSimulatedConfig(path, traffic, context))
    const plan = planSimulation(traffic, args)
    checkProviders(plan.upstreams, configs)
    for (const note of traffic.notes) context.log(`${args.traffic}: ${note}`)
    for (const { name, notes, providers } of configs) {
      for (const note of notes) context.log(`${name}: ${note}`)
      for (const provider of Object.keys(plan.upstreams)) {
        if (providers.includes(provider)) continue
        context.log(
          `${name}: There is no provider '${printable(provider)}': its upstream has no effect here.`,
        )
      }
    }
    const runs: SimulatedRun[] = []
    for (const config of configs) {
      const run = await simulated(config, plan, context)
      if (run.result.requests > 0) {
        runs.push(run)
        continue
      }
      throw new CommandError(
        `${args.traffic}: no request arrives in ${traffic.traffic.durationMs / 1_000} s with seed ${args.seed}, expected at least one. Raise the duration or a rate.`,
      )
    }
    if (args.json)
      context.print(JSON.stringify(args.compare === undefined ? dataOf(runs[0]!) : runs.map(dataOf), null, 2))
    else context.print(simulationText(runs))
    return 0
  },
}

/** The largest `--skew`. */
const maxSkewMs = 86_400_000

interface SimulateArguments {
  readonly config: string | undefined
  readonly traffic: string
  readonly compare: string | undefined
  readonly outages: readonly TypedOutage[]
  readonly crashes: readonly Crash[]
  readonly skewMs: number | undefined
  readonly gateways: number | undefined
  readonly seed: number
  readonly json: boolean
}

function parseArguments(values: Values, positionals: readonly string[]): SimulateArguments {
  const wrong = (message: string) => new CommandError(`sluice simulate: ${message}`, 2)
  const [config, extra] = positionals
  if (extra !== undefined)
    throw wrong(`unexpected argument '${printable(extra)}': expected one configuration.`)
  const traffic = textOf(values, 'traffic')
  if (traffic === undefined)
    throw wrong('the traffic is missing. Pass --traffic: see sluice simulate --help.')
  const whole = (name: string, min: number, max: number): number | undefined => {
    const text = textOf(values, name)
    const value = Number(text)
    if (text === undefined) return undefined
    if (/^\d{1,10}$/.test(text) && value >= min && value <= max) return value
    throw wrong(`--${name} is '${printable(text)}', expected a whole number from ${min} to ${max}.`)
  }
  const skew = textOf(values, 'skew')
  const skewMs = skew === undefined || skew === '0' ? 0 : parseDuration(skew)
  if (skewMs === undefined || skewMs > maxSkewMs) {
    throw wrong(`--skew is '${printable(skew!)}', expected a duration such as 2s, at most a day.`)
  }
  return {
    config,
    traffic,
    compare: textOf(values, 'compare'),
    outages: textsOf(values, 'outage').map(parseOutage),
    crashes: textsOf(values, 'crash').map(parseCrash),
    skewMs: skew === undefined ? undefined : skewMs,
    gateways: whole('gateways', 1, 10_000),
    seed: whole('seed', 0, 4_294_967_295) ?? 1,
    json: values.json === true,
  }
}

/** What the configurations are simulated with: the traffic file and the command line together. */
type SimulationPlan = Omit<SimulationOptions, 'createOptions' | 'listeners' | 'signal'> &
  Required<Pick<SimulationOptions, 'upstreams'>>

/** Throws for an outage or a crash of the command line that would not happen. */
function planSimulation(
  { traffic, upstreams = {}, stores, gateways = 1, crashes = [], skewMs = 0 }: SimulatedTraffic,
  args: SimulateArguments,
): SimulationPlan {
  const late = args.outages.find(({ outage }) => outage.fromMs >= traffic.durationMs)
  if (late !== undefined) {
    throw new CommandError(
      `sluice simulate: --outage begins at ${late.outage.fromMs / 1_000} s, when the traffic of ${traffic.durationMs / 1_000} s has ended.`,
      2,
    )
  }
  const count = args.gateways ?? gateways
  checkCrashes(args.crashes, count, traffic.durationMs)
  return {
    seed: args.seed,
    gateways: count,
    upstreams: withOutages(upstreams, args.outages),
    ...(stores !== undefined && { stores }),
    crashes: [...crashes, ...args.crashes],
    skewMs: args.skewMs ?? skewMs,
    traffic,
  }
}

/** Throws for a provider that no configuration has. */
function checkProviders(upstreams: SimulationPlan['upstreams'], configs: readonly SimulatedConfig[]): void {
  const known = [...new Set(configs.flatMap(({ providers }) => providers))]
  const names = [...new Set(configs.map(({ name }) => name))]
  const missing = names.length === 1 ? `${names[0]} has no` : `Neither ${names.join(' nor ')} has a`
  for (const provider of Object.keys(upstreams)) {
    if (known.includes(provider)) continue
    throw new CommandError(
      `${missing} provider '${printable(provider)}', expected one of ${known.join(', ')}. ${suggest(provider, known) ?? ''}`.trim(),
    )
  }
}

async function simulated(
  { name, createOptions }: SimulatedConfig,
  plan: SimulationPlan,
  { signal }: CommandContext,
): Promise<SimulatedRun> {
  const summary = new SimulationSummary()
  try {
    const result = await runSimulation({ ...plan, createOptions, listeners: [summary], signal })
    return { name, result, report: summary.report() }
  } catch (error) {
    if (signal.aborted) throw new CommandError('sluice simulate: cancelled.')
    throw new CommandError(
      `${name} cannot be simulated: ${error instanceof Error ? error.message : String(error)}`,
    )
  }
}

/** Throws for a crash that would not happen. */
function checkCrashes(crashes: readonly Crash[], gateways: number, durationMs: number): void {
  for (const { gateway, atMs } of crashes) {
    if (gateway >= gateways) {
      throw new CommandError(
        `sluice simulate: gateway ${gateway} cannot crash, expected one of the ${gateways} gateways, by its number from 0.`,
        2,
      )
    }
    if (atMs < durationMs) continue
    throw new CommandError(
      `sluice simulate: gateway ${gateway} crashes at ${atMs / 1_000} s, when the traffic of ${durationMs / 1_000} s has ended.`,
      2,
    )
  }
}

function withOutages(
  upstreams: Readonly<Record<string, UpstreamModel>>,
  typed: readonly TypedOutage[],
): Readonly<Record<string, UpstreamModel>> {
  const models = new Map(Object.entries(upstreams))
  for (const { provider, outage } of typed) {
    const model = models.get(provider)
    const outages: readonly Outage[] = [...(model?.outages ?? []), outage]
    models.set(provider, { ...model, outages })
  }
  return Object.fromEntries(models)
}

function dataOf({ name, result, report }: SimulatedRun): object {
  const { seed, simulatedMs, digest } = result
  return { config: name, seed, simulatedMs, digest, ...report }
}
