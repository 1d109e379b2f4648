import type { KeySpec } from '@sluice/core/keys'
import { type Command, CommandFault } from '../command.ts'
import { noPositionals, textOf, textsOf } from '../command-line/arguments.ts'
import { momentOf } from '../command-line/moment-of.ts'
import { limitOf, tagsOf } from '../keys/key-arguments.ts'
import { shownKey } from '../keys/keys-text.ts'
import { databaseHelp, databaseOptions, type NamedDatabase, withDatabase } from '../keys/with-database.ts'

/** `sluice keys create`. */
export const keysCreate: Command = {
  name: 'keys create',
  summary: 'issues a key, and shows it this once',
  help: `
Usage: sluice keys create --name NAME [options]

  --name NAME       for people; lists show it
  --model PATTERN   a model that the key may use, such as gpt-4o or 'openai/*'; several times for several. Default: all
  --tag NAME=VALUE  such as team=search; several times for several
  --limit RULE      requests:60/minute, tokens:100000/day, concurrent:4 or budget:5usd/month; several times for several
  --expires WHEN    a date (2026-12-31, at midnight UTC), a time (2026-12-31T08:00Z) or a span (30d). Default: never
${databaseHelp}
  --json            prints the key and what is kept of it as JSON

Example: sluice keys create --name "Ann's notebook" --model 'openai/*' --limit requests:10/minute --expires 90d`,
  options: {
    name: { type: 'string' },
    model: { type: 'string', multiple: true },
    tag: { type: 'string', multiple: true },
    limit: { type: 'string', multiple: true },
    expires: { type: 'string' },
    ...databaseOptions,
    json: { type: 'boolean' },
  },
  async run(values, positionals, world) {
    noPositionals('keys create', positionals)
    const name = textOf(values, 'name')
    if (name === undefined)
      throw new CommandFault('sluice keys create needs a name: --name "Ann\'s notebook".', 2)
    const [models, tags, rules] = ['model', 'tag', 'limit'].map(option => textsOf(values, option))
    const expires = textOf(values, 'expires')
    const expiresAt = expires === undefined ? undefined : momentOf('--expires', expires, world.now(), 1)
    if (expiresAt !== undefined && expiresAt <= world.now()) {
      throw new CommandFault(`--expires is ${new Date(expiresAt).toISOString()}, which has passed.`, 2)
    }
    const spec: KeySpec = {
      name,
      ...(models?.length ? { models } : {}),
      ...(tags?.length ? { tags: tagsOf(tags) } : {}),
      ...(rules?.length ? { limits: rules.map(limitOf) } : {}),
      ...(expiresAt === undefined ? {} : { expiresAt }),
    }
    return withDatabase(values, world, issue, true)

    async function issue({ keys, place }: NamedDatabase): Promise<number> {
      const { key, stored } = await keys.issue(spec)
      if (values.json === true) {
        world.print(JSON.stringify({ key, ...shownKey(stored) }, null, 2))
        return 0
      }
      world.print(key)
      world.tell(`Issued as ${stored.id} in ${place}. Keep it: it is shown this once.`)
      return 0
    }
  },
}
