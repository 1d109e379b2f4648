import { readdirSync, readFileSync } from 'node:fs'
import { basename, join, relative } from 'node:path'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'

// The project's words: docs/glossary.md has the terms, decision 020 the rules. A failure says what to write instead.

const root = join(import.meta.dirname, '../..')

/** Words that are no part of a declared name or a file's name, each with the field's word. */
const words: Readonly<Record<string, string>> = {
  tell: 'notify, report',
  tells: 'notifies, reports',
  told: 'notified, reported',
  telling: 'reporting',
  hears: 'listens',
  heard: 'notified',
  asked: 'requested',
  asking: 'AttemptRunner, DispatchOptions',
  answering: 'UpstreamResult, response',
  room: 'capacity',
  place: 'target, position',
  places: 'targets, positions',
  sight: 'observability',
  shelf: 'HealthRegistry',
  book: 'HealthRegistry, AccountingServices',
  books: 'AccountingServices',
  sound: 'valid',
  fate: 'outcome',
  world: 'context, dependencies',
  tenure: 'OptionsGeneration',
  story: 'trace',
  leaving: 'DisconnectSource',
  repeat: 'retry',
  repeats: 'retries',
  remembered: 'cachedLookup',
  cooling: 'cooldown',
  unsettled: 'PendingSettlements',
  standing: 'state, TargetAttemptState',
  shadowed: 'wouldHaveRefused',
  verdict: 'LimitDecision',
  judge: 'fastSchema',
  wording: 'error-messages.ts',
  noun: 'typeName',
  misfit: 'unsupportedFeature',
  scrub: 'redact',
  intake: 'requestLimits',
  dear: 'expensive',
  dearer: 'more expensive',
  dearest: 'most expensive',
  likely: 'estimate',
}

/** Neighbouring words of a name, in lower case and parted by spaces. */
const phrasesOfNames: Readonly<Record<string, string>> = {
  'let go': 'release',
  'lets go': 'releases',
  'give back': 'release',
  'take back': 'cancel',
  'made of': 'linkedRoute',
  'made from': 'linkedRoute',
  'made answer': 'GatewayResponse',
  'kept answer': 'CachedResponse',
  'kept ledger': 'batchedLedger',
  'answer keeper': 'CacheWriter',
  'answer store': 'CacheStore',
  'memory answers': 'memoryCacheStore',
  'redis answers': 'redisCacheStore',
  'streamed answer': 'CompletionStream',
  'paced text': 'KeepAliveStream',
  'held stream': 'PeekedStream',
  'held claims': 'ActiveClaims',
  'open attempt': 'AttemptEntry',
  'routing log': 'RoutingTrace',
  'call owner': 'AttemptHost',
  'call keeper': 'CallListener',
  'moves on': 'shouldFallBack',
  'is passing': 'isRetryable',
  'as shadow': 'dryRun',
  'limit plan': 'compiled-rules',
  'planned rule': 'CompiledRule',
  'caller counts': 'CounterResolver',
  'seen keys': 'keyCache',
  'store here': 'directMemoryStore',
  'store calls': 'StoreClient',
  'store repair': 'StoreRecovery',
  'target record': 'TargetHealthState',
  'quiet observer': 'safeObserver',
  'running keys': 'InFlightKeys',
  'key rows': 'KeyRepository',
  'ledger rows': 'LedgerRepository',
  'unused call': 'discarded_call',
  'unused closing': 'discarded_call',
  'client left': 'clientDisconnected',
  'client aborted': 'clientDisconnected',
  'options in use': 'LiveOptions',
  'clean failure': 'redact-error',
  'offers tools': 'hasTools',
  'body above': 'bodyLargerThan',
  'prompt above': 'promptLongerThan',
  'holds media': 'hasMedia',
  'tagged with': 'hasTag',
  'may arrive': 'isBodyBuffered',
  'arrived body': 'bufferedBody',
  'expect scalars': 'scalar-schemas',
  'expect containers': 'container-schemas',
  'foreign members': 'extra-fields',
  'nine character ids': 'short-tool-call-ids',
  'known losses': 'unsupported-settings',
  'stand in': 'lazy-proxy-class, placeholder',
  'pause watch': 'EventLoopStallMonitor',
  'scripted world': 'FakeCommandContext',
  'scripted events': 'fake-events',
  'loose fault': 'unresolvedNames',
}

/** Whole names, each with the one in its place. */
const wholeNames: Readonly<Record<string, string>> = {
  failureOf: 'toFailure',
  refusalOf: 'toGatewayError',
  faultsOf: 'issues',
  checkOf: 'checkerOf',
  Answer: 'GatewayResponse',
  Refusal: 'ErrorReason',
  Term: 'OptionsGeneration',
  recall: 'lookUpCache, lookUpReplay',
  lack: 'unsupported',
  lackValue: 'unsupportedValue',
  lose: 'reportUnsupported',
}

/** Names that would be refused and are another's: a wire's, a language's or a product's. */
const exceptions: Readonly<Record<string, string>> = {}

/** Names that core declares once at most, because they had two meanings. */
const single = [
  'Scope',
  'Outcome',
  'Verdict',
  'StoreBreaker',
  'Endpoint',
  'Check',
  'ruleFaults',
  'ruleIssues',
  'heardOf',
  'holds',
  'Answered',
]

/** What no heading says, each with the words that a reader searches for. */
const headings: readonly (readonly [pattern: RegExp, instead: string])[] = [
  [/given again/i, 'Caching and idempotency'],
  [/what becomes of|what (?:a|the) vendor'?s? lacks?/i, 'Parameter support by provider'],
  [/left alone|when a place/i, 'Circuit breaker and cooldown'],
  [/\bagain, and\b|and elsewhere/i, 'Retries and fallbacks'],
  [/^A trial$/i, 'A/B split'],
  [/^A shadow$/i, 'Traffic mirroring'],
  [/\bwho may\b/i, 'Authentication and access control'],
  [/what is seen|what happens|seeing what/i, 'Observability'],
  [/nobody got/i, 'Discarded calls'],
  [/one line a request/i, 'Request log'],
  [/than it can take/i, 'Load shedding'],
  [/while it runs/i, 'Reloading configuration'],
  [/\bbeside it\b/i, 'Extra endpoints'],
  [/\b(?:is|are) told\b/i, 'Events, Reports'],
  [/\b(?:is|are) asked\b/i, 'Requests, Conditional routing'],
  [/\bplaces?\b/i, 'Targets'],
  [/\bthe way of\b/i, 'Request pipeline'],
  [/where it stands|stands? (?:above|under|beside)/i, 'Mounting'],
  [/what it does not say|what it can say/i, 'Limitations, Settings'],
]

/** What no sentence of a page or a comment says, each with what to write. */
const phrases: readonly (readonly [pattern: RegExp, instead: string])[] = [
  [/\b(?:is|are|was|were|be) told\b/i, 'receives, is notified'],
  [/\btell?s? of\b|\btold of\b/i, 'reports'],
  [/\b(?:left|leaves?|leaving) alone\b/i, 'unavailable, skips, in cooldown'],
  [/\b(?:is|are|was|were) asked(?! for\b)/i, 'is called'],
  [/\bcomes? to (?:its|their|an) (?:answer|end)s?\b/i, 'finishes'],
  [/\b(?:room for|has room|have room|no room|takes? room)\b/i, 'capacity'],
  [/\bgiven again\b/i, 'replayed'],
  [/\bstands? (?:above|under|beside|between)\b/i, 'is above, is in'],
  [/\b(?:hears?|heard) of\b/i, 'is notified of, receives'],
  [/\bnobody got\b/i, 'discarded'],
  [/\bin silence\b/i, 'silently'],
  [/\bdear(?:er|est)?\b/i, 'expensive'],
  [/\bof late\b/i, 'recently'],
  [/\blets? go\b/i, 'releases'],
  [/\b(?:gives?|gave|given) back\b/i, 'releases, returns'],
  [/\b(?:is|are) sound\b/i, 'is valid'],
  [/\bthe fate of\b/i, 'the outcome of'],
  [/\banew\b/i, 'again, from the start'],
  [/\b(?:shelf|tenure)\b/i, 'registry, generation'],
  [/\b(?:client|caller)s? (?:that |who )?(?:leaves?|left)\b|\bwho leaves\b/i, 'disconnects'],
  [/\bgo(?:es)? on failing\b/i, 'keeps failing'],
  [/\bwhole answers?\b/i, 'complete response'],
  [/\bby (?:the|its) letter\b/i, 'exactly'],
  [/\bleave to\b/i, 'permission to'],
  [/\bwhat (?:becomes|became) of\b/i, 'what happens to'],
  [/\bas it stands\b/i, 'unchanged'],
  [/(?<!decimal )\bplaces\b/i, 'targets'],
  [/\b(?:another|next|other|at one) place\b/i, 'target, position'],
  [/\bin the place of\b/i, 'instead of'],
  [/\b(?:is|are|to be) had\b/i, 'is available'],
]

const sources = readdirSync(join(root, 'packages'))
  .flatMap(name => readdirSync(join(root, 'packages', name, 'src'), { recursive: true, withFileTypes: true }))
  .filter(entry => entry.isFile() && entry.name.endsWith('.ts') && !entry.name.endsWith('.test.ts'))
  .map(entry => relative(root, join(entry.parentPath, entry.name)))
  .sort()
  .map(file => {
    const text = readFileSync(join(root, file), 'utf8')
    return { file, text, tree: ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true) }
  })

const pages = [
  'README.md',
  'AGENTS.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  ...readdirSync(join(root, 'docs'))
    .filter(name => name.endsWith('.md'))
    .map(name => `docs/${name}`),
  ...readdirSync(join(root, 'packages')).map(name => `packages/${name}/README.md`),
].map(file => ({ file, text: withoutCode(readFileSync(join(root, file), 'utf8')) }))

/** A page without its blocks of code and its `code`, of the same length and with the same lines. */
function withoutCode(text: string): string {
  const blank = (code: string) => code.replaceAll(/[^\n]/g, ' ')
  return text.replaceAll(/^```[\s\S]*?^```/gm, blank).replaceAll(/`[^`\n]+`/g, blank)
}

/** The words of a name in any of the usual cases: `askedAs` and `asked-as` are `asked`, `as`. */
function wordsOf(name: string): string[] {
  return name
    .replaceAll(/([a-z\d])([A-Z])|([A-Z]+)(?=[A-Z][a-z])/g, '$1$3 $2')
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter(word => word !== '')
}

/** What is wrong with a name, and what to write instead. */
function complaintsAbout(name: string): string[] {
  if (Object.hasOwn(exceptions, name)) return []
  const parts = wordsOf(name)
  const said = ` ${parts.join(' ')} `
  return [
    ...new Set([
      ...parts.filter(word => Object.hasOwn(words, word)).map(word => `${word}: write ${words[word]}`),
      ...Object.entries(phrasesOfNames)
        .filter(([phrase]) => said.includes(` ${phrase} `))
        .map(([phrase, instead]) => `${phrase}: write ${instead}`),
      ...(Object.hasOwn(wholeNames, name) ? [`${name}: write ${wholeNames[name]}`] : []),
    ]),
  ]
}

interface Declared {
  readonly name: string
  readonly file: string
  readonly line: number
  readonly outermost: boolean
}

/** The names that a file declares for others to read: of types, functions, classes, their members, and its constants. */
function declaredIn({ file, tree }: (typeof sources)[number]): Declared[] {
  const found: Declared[] = []
  const add = (name: ts.Node | undefined, outermost: boolean) => {
    if (name === undefined || !(ts.isIdentifier(name) || ts.isPrivateIdentifier(name))) return
    const line = tree.getLineAndCharacterOfPosition(name.getStart(tree)).line + 1
    found.push({ name: name.text, file, line, outermost })
  }
  const visit = (node: ts.Node, depth: number) => {
    if (
      ts.isInterfaceDeclaration(node) ||
      ts.isTypeAliasDeclaration(node) ||
      ts.isClassDeclaration(node) ||
      ts.isFunctionDeclaration(node)
    )
      add(node.name, depth === 0)
    else if (
      ts.isMethodDeclaration(node) ||
      ts.isMethodSignature(node) ||
      ts.isPropertyDeclaration(node) ||
      ts.isPropertySignature(node) ||
      ts.isGetAccessor(node) ||
      ts.isSetAccessor(node)
    )
      add(node.name, false)
    else if (ts.isVariableStatement(node) && depth === 0)
      for (const { name } of node.declarationList.declarations) add(name, true)
    ts.forEachChild(node, child => visit(child, depth + 1))
  }
  ts.forEachChild(tree, child => visit(child, 0))
  return found
}

/** The comments of a file, each with where it begins. */
function commentsIn({ text, tree }: (typeof sources)[number]): { at: number; text: string }[] {
  const found = new Map<number, string>()
  const add = (ranges: readonly ts.CommentRange[] | undefined) => {
    for (const { pos, end } of ranges ?? []) found.set(pos, text.slice(pos, end))
  }
  const visit = (node: ts.Node) => {
    add(ts.getLeadingCommentRanges(text, node.pos))
    add(ts.getTrailingCommentRanges(text, node.end))
    ts.forEachChild(node, visit)
  }
  visit(tree)
  return [...found].map(([at, comment]) => ({ at, text: comment }))
}

/** Where a text says one of the phrases, its line breaks and the marks of a comment's lines counting as spaces. */
function saidIn(text: string): { at: number; phrase: string; instead: string }[] {
  const flat = text.replaceAll(/\n[ \t]*(?:\*(?!\/)|\/\/)?/g, lead => ' '.repeat(lead.length))
  return phrases.flatMap(([pattern, instead]) =>
    [
      ...flat.matchAll(
        new RegExp(pattern.source.replaceAll(' ', ' +'), `${pattern.flags.replace('g', '')}g`),
      ),
    ].map(({ index, 0: phrase }) => ({ at: index, phrase: phrase.replaceAll(/ +/g, ' '), instead })),
  )
}

const lineAt = (text: string, at: number) => text.slice(0, at).split('\n').length
const names = sources.flatMap(declaredIn)

describe('names', () => {
  it('are read', () => {
    expect(sources.length).toBeGreaterThan(300)
    expect(names.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['createGateway', 'GatewayOptions', 'loadShedder', 'RoutedTarget']),
    )
  })

  it('are the words of the field', () => {
    expect(
      names.flatMap(({ name, file, line }) =>
        complaintsAbout(name).map(complaint => `${file}:${line}: ${name}: ${complaint}`),
      ),
    ).toEqual([])
  })

  it('of files are, too', () => {
    const folders = [...new Set(sources.flatMap(({ file }) => file.split('/').slice(1, -1)))]
    expect(
      [...folders, ...sources.map(({ file }) => file)].flatMap(path =>
        complaintsAbout(basename(path, '.ts')).map(complaint => `${path}:1: ${complaint}`),
      ),
    ).toEqual([])
  })

  it('of classes are nouns', () => {
    const classes = sources.flatMap(({ file, tree }) =>
      tree.statements.flatMap(node =>
        ts.isClassDeclaration(node) && node.name !== undefined && /^[A-Z][a-z]+ing$/.test(node.name.text)
          ? [`${file}:${lineAt(tree.text, node.name.getStart(tree))}: ${node.name.text}`]
          : [],
      ),
    )
    expect(classes).toEqual([])
  })

  it.each(single)('%s has one meaning in core', name => {
    const declared = names.filter(
      found => found.name === name && found.outermost && found.file.startsWith('packages/core/'),
    )
    expect(declared.map(({ file, line }) => `${file}:${line}`).slice(1)).toEqual([])
  })
})

describe('headings', () => {
  it('are what a reader searches for', () => {
    expect(
      pages.flatMap(({ file, text }) =>
        [...text.matchAll(/^#+ (.*)$/gm)].flatMap(({ index, 1: heading = '' }) =>
          headings
            .filter(([pattern]) => pattern.test(heading))
            .map(([, instead]) => `${file}:${lineAt(text, index)}: "${heading}": write ${instead}`),
        ),
      ),
    ).toEqual([])
  })
})

describe('sentences', () => {
  it('of pages are plain', () => {
    expect(
      pages.flatMap(({ file, text }) =>
        saidIn(text).map(
          ({ at, phrase, instead }) => `${file}:${lineAt(text, at)}: ${phrase}: write ${instead}`,
        ),
      ),
    ).toEqual([])
  })

  it('of comments are plain', () => {
    expect(
      sources.flatMap(source =>
        commentsIn(source).flatMap(comment =>
          saidIn(comment.text).map(
            ({ at, phrase, instead }) =>
              `${source.file}:${lineAt(source.text, comment.at + at)}: ${phrase}: write ${instead}`,
          ),
        ),
      ),
    ).toEqual([])
  })
})

describe('the rules', () => {
  it.each([
    ['askedAs', ['asked', 'as']],
    ['answer-store', ['answer', 'store']],
    ['MAX_SSEEvents', ['max', 'sse', 'events']],
    ['#lastSeen', ['last', 'seen']],
  ])('take %s apart', (name, parts) => {
    expect(wordsOf(name)).toEqual(parts)
  })

  it.each(['whatTheyTold', 'letGoOf', 'room-asked', 'KeptAnswerOptions', 'PLACES', 'failureOf'])(
    'refuse %s',
    name => {
      expect(complaintsAbout(name)).not.toEqual([])
    },
  )

  it.each(['placeholder', 'CacheStore', 'bookmark', 'mask', 'release'])('take %s', name => {
    expect(complaintsAbout(name)).toEqual([])
  })

  it('find a phrase across lines of a comment', () => {
    expect(saidIn('/**\n * The target is\n * told.\n */').map(({ phrase }) => phrase)).toEqual(['is told'])
    expect(saidIn('// a caller\n// who leaves')).toHaveLength(1)
  })
})
