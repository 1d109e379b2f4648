import type { TypedConfig } from '../config/config.ts'
import { claudeCodeLine } from './claude-code-line.ts'
import { codexLine } from './codex-line.ts'
import { curlLines } from './curl-line.ts'
import { knownVendors } from './environment-vendors.ts'
import { isCatalogued, vendorOfKnown } from './known-models.ts'

/** A model as the banner shows it. */
interface ShownModel {
  readonly name: string
  readonly answeredBy: string
}

/** What a newcomer needs to know of a gateway that has just started. */
export interface Started {
  readonly baseURL: string
  /** The base URLs for other machines. */
  readonly networkURLs: readonly string[]
  /** Whether lines that are typed are shortcuts. */
  readonly shortcuts: boolean
  readonly key: string
  /** Where the key and the limits come from, in a sentence each. */
  readonly keySource: string
  readonly limit: string | undefined
  readonly consoleURL: string | undefined
  /** Where keys and usage are kept. */
  readonly storage: string
  /** Where responses of the Responses API are stored, and for how long. */
  readonly responses: string
  /** Where prices come from. */
  readonly prices: string
  readonly models: readonly ShownModel[]
  /** The model that the curl line asks; `undefined` for none. */
  readonly tried: string | undefined
  /** The operating system, whose shell the curl line is for. */
  readonly platform: NodeJS.Platform
  /** What was found, and what is to be known, a sentence each. */
  readonly notes: readonly string[]
}

/** How many models of one answerer are shown. */
const shownOfEach = 8

/** The text that is printed at start. */
export function banner(started: Started): string {
  const { baseURL, key, keySource, limit, consoleURL, storage, responses, prices } = started
  const { models, tried, notes, networkURLs } = started
  const networks = networkURLs.length > 0 ? networkURLs : ['not reachable; --host 0.0.0.0 makes it so']
  const facts: [string, string][] = [
    ...networks.map((url, index): [string, string] => [index === 0 ? 'Network' : '', url]),
    ['API key', key],
    ['', keySource],
    ...(limit === undefined ? [] : [['Limit', limit] satisfies [string, string]]),
    ...(consoleURL === undefined ? [] : [['Console', consoleURL] satisfies [string, string]]),
    ['Storage', storage],
    ['Responses', responses],
    ['Prices', prices],
  ]
  const width = Math.max(26, ...models.map(({ name }) => name.length)) + 2
  return [
    '',
    `Sluice is running at ${baseURL}`,
    '',
    ...facts.map(([name, value]) => `  ${name.padEnd(10)}${value}`),
    '',
    `  ${'Model'.padEnd(width)}Answered by`,
    ...modelRows(models, width),
    '',
    ...notes.flatMap(note => [note, '']),
    ...(tried === undefined ? [] : tryLines(started, tried)),
    `${started.shortcuts ? 'Press h + Enter for shortcuts, Ctrl+C to stop.' : 'Press Ctrl+C to stop.'} Requests are logged below.`,
    '',
  ].join('\n')
}

function tryLines({ platform, baseURL, key }: Started, model: string): readonly string[] {
  const claudeCode = claudeCodeLine(platform, baseURL, key, model)
  return [
    ...curlLines(platform, baseURL, key, model).flatMap(({ shell, line }) => [
      shell === undefined ? 'Try it:' : `Try it in ${shell}:`,
      line,
      '',
    ]),
    ...(claudeCode === undefined ? [] : ['Claude Code with this gateway:', claudeCode, '']),
    'Codex with this gateway:',
    codexLine(platform, baseURL, key, model),
    '',
  ]
}

/** A server may have hundreds: the first ones of each, and how many more there are. */
function modelRows(models: readonly ShownModel[], width: number): readonly string[] {
  const rows: string[] = []
  const counts = new Map<string, number>()
  for (const { name, answeredBy } of models) {
    const group = answeredBy.split(' (')[0] ?? answeredBy
    const count = (counts.get(group) ?? 0) + 1
    if (!name.includes('*')) counts.set(group, count)
    if (count <= shownCount(group) || name.includes('*')) rows.push(`  ${name.padEnd(width)}${answeredBy}`)
  }
  let unlisted = 0
  for (const [group, count] of counts) {
    const hidden = count - shownCount(group)
    if (isLocalPlaceholder(group)) unlisted += Math.max(hidden, 0)
    else if (hidden > 0) rows.push(`  ... and ${hidden} more of ${group}`)
  }
  if (unlisted > 0) rows.push(`  ... and ${unlisted} more of vendors without a key`)
  return rows
}

/** All models of the stand-in itself, and one of each vendor that it stands in for. */
function shownCount(group: string): number {
  if (group === 'local()') return Number.POSITIVE_INFINITY
  return isLocalPlaceholder(group) ? 1 : shownOfEach
}

/** Whether `local` answers for models of a vendor without a key. */
function isLocalPlaceholder(group: string): boolean {
  return group.startsWith('local(),')
}

/** The models of a configuration, and who answers each, as the banner shows them. */
export function shownModels({ models }: Pick<TypedConfig, 'models'>): readonly ShownModel[] {
  return Object.entries(models).map(([name, route]) => ({
    name,
    answeredBy: answeredBy(route) === 'local()' ? standsInFor(name) : answeredBy(route),
  }))
}

/** Says whose model `local` stands in for, where it is a vendor's own id. */
function standsInFor(model: string): string {
  if (isCatalogued(model)) return 'local()'
  const vendor = vendorOfKnown(model)
  const title = knownVendors.find(({ name }) => name === vendor)?.title
  return title === undefined ? 'local()' : `local(), not ${title}`
}

function answeredBy(route: unknown): string {
  if (Array.isArray(route))
    return route.length === 1 ? answeredBy(route[0]) : `${answeredBy(route[0])}, then others`
  if (typeof route !== 'string') return 'a route'
  const at = route.indexOf('/')
  if (at === -1) return route
  const [provider, model] = [route.slice(0, at), route.slice(at + 1)]
  if (provider === 'local') return 'local()'
  return model === '*' ? `${provider} (all its models)` : `${provider} (${model})`
}

/**
 * The model that a newcomer should ask first: one that a vendor or a server answers, else the first. Patterns are none to
 * ask.
 */
export function modelToTry(models: readonly ShownModel[]): string | undefined {
  const named = models.filter(({ name }) => !name.includes('*'))
  return (named.find(({ answeredBy }) => !answeredBy.startsWith('local()')) ?? named[0])?.name
}
