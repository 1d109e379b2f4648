import { expect, it } from 'vitest'
import { fakeCommandContext } from '../fake-command-context.ts'
import { main } from '../main.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const budget = { kind: 'budget', limit: 5, per: 'day', currency: 'usd' }
const config = {
  providers: { local: {}, openai: { apiKey: 'sk-0123456789' } },
  models: {
    paid: 'openai/gpt-4.1-mini',
    backed: ['openai/gpt-4.1-mini', 'local/spare'],
    free: 'local/demo',
    smart: { cheapest: ['paid', 'free'] },
    'own/*': 'local/*',
  },
  keys: [{ id: 'ann', key: 'sk-ann-0123456789' }],
}

async function check(more: object, ...options: string[]) {
  const cwd = temporaryFolder({ 'sluice.config.json': JSON.stringify({ ...config, ...more }) })
  const { context, printed, logged } = fakeCommandContext({ cwd })
  expect([await main(['check', ...options], context), logged()]).toEqual([0, ''])
  return printed()
}

/** The paths of the warnings, and what each says of its models. */
async function warningsOf(more: object): Promise<Readonly<Record<string, string>>> {
  const { warnings } = JSON.parse(await check(more, '--json')) as {
    warnings: readonly { path: string; problem: string; fix: string }[]
  }
  for (const { problem, fix } of warnings) {
    expect(problem).toMatch(
      / have no price, and requests that they may answer are rejected \(403 model_not_priced\)$/,
    )
    expect(fix).toContain('unpriced: allow')
  }
  return Object.fromEntries(
    warnings.map(({ path, problem }) => [path, problem.replace(/^targets of (.*) have no price.*$/, '$1')]),
  )
}

const all = 'backed (local/spare), free (local/demo), smart (local/demo)'

it.each<[string, object, Readonly<Record<string, string>>]>([
  ['no budget', {}, {}],
  ['requests that are limited', { limits: [{ kind: 'requests', limit: 5, per: 'minute' }] }, {}],
  ['a budget', { limits: [budget] }, { 'limits[0]': all }],
  ['a budget that only reports', { limits: [{ ...budget, mode: 'dryRun' }] }, {}],
  ['a budget that does not count them', { limits: [{ ...budget, unpriced: 'allow' }] }, {}],
  ['a budget of priced models', { limits: [{ ...budget, models: ['paid'] }] }, {}],
  [
    'a budget of some models',
    { limits: [{ ...budget, models: ['b*'] }] },
    { 'limits[0]': 'backed (local/spare)' },
  ],
  [
    'a budget of a caller, who may use some',
    { keys: [{ ...config.keys[0], models: ['free', 'paid'], limits: [budget] }] },
    { 'keys[0].limits[0]': 'free (local/demo)' },
  ],
  [
    'a budget of the chat of the console',
    { console: { adminKey: 'a'.repeat(32), chat: { limits: [{ ...budget, models: ['free'] }] } } },
    { 'console.chat.limits[0]': 'free (local/demo)' },
  ],
  [
    'prices of its own',
    { limits: [budget], prices: { 'local/demo': { input: 0, output: 0 }, backed: { input: 1, output: 2 } } },
    {},
  ],
  [
    'no prices',
    { limits: [{ ...budget, models: ['paid'] }], prices: false },
    { 'limits[0]': 'paid (openai/gpt-4.1-mini)' },
  ],
  [
    'more models than are named',
    {
      models: Object.fromEntries(['a', 'b', 'c', 'd', 'e'].map(name => [name, `local/${name}`])),
      limits: [budget],
    },
    { 'limits[0]': 'a (local/a), b (local/b), c (local/c) and 2 more models' },
  ],
])('with %s it warns of models that a budget rejects', async (_, more, expected) => {
  expect(await warningsOf(more)).toEqual(expected)
})

it.each([
  ['prices', '{ prices: () => 0 }'],
  ['a route', '{ route: () => [] }'],
  ['limits', '{ limits: [] }'],
])('does not warn where code replaces %s', async (_, gateway) => {
  const cwd = temporaryFolder({
    'sluice.config.mjs': `export default { ...${JSON.stringify({ ...config, limits: [budget] })}, gateway: ${gateway} }`,
  })
  const { context, printed, logged } = fakeCommandContext({ cwd })
  expect([await main(['check', '--json'], context), logged()]).toEqual([0, ''])
  expect(JSON.parse(printed())).toMatchObject({ ok: true, warnings: [] })
})

it('prints a warning after the summary', async () => {
  const printed = await check({ limits: [{ ...budget, models: ['free'] }] })
  expect(printed).toMatch(/^sluice\.config\.json is valid\.$/m)
  expect(printed.trimEnd().split('\n').at(-1)).toBe(
    'Warning: limits[0]: targets of free (local/demo) have no price, and requests that they may answer are rejected ' +
      "(403 model_not_priced). Set their prices in 'prices', or unpriced: allow in this budget, which then does not count them.",
  )
})
