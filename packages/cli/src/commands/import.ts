import { readFile, writeFile } from 'node:fs/promises'
import { extname, resolve } from 'node:path'
import { type Command, CommandFault } from '../command.ts'
import { type ConfigFormat, type Imported, toldLosses, writtenConfig } from '../import/import-result.ts'
import { importLiteLLM } from '../import/litellm/import-litellm.ts'
import { foreignValue } from '../import/parse-source.ts'
import { importPortkey } from '../import/portkey/import-portkey.ts'

const importers: Readonly<Record<string, { kind: 'yaml' | 'json'; read: (value: unknown) => Imported }>> = {
  litellm: { kind: 'yaml', read: importLiteLLM },
  portkey: { kind: 'json', read: importPortkey },
}

const formats: Readonly<Record<string, ConfigFormat>> = {
  yaml: 'yaml',
  yml: 'yaml',
  json: 'json',
  ts: 'ts',
  mts: 'ts',
}

/** `sluice import`: a foreign configuration as ours, and all of it that has no equivalent. */
export const importCommand: Command = {
  name: 'import',
  summary:
    'prints the configuration that does what one of LiteLLM or Portkey does, and what has no equivalent',
  help: `sluice import litellm FILE [--format yaml|json|ts] [--output FILE]
sluice import portkey FILE [--format yaml|json|ts] [--output FILE]

Reads the config.yaml of a LiteLLM proxy, or the JSON of a Portkey config, and prints the configuration that does the
same. Everything that has no equivalent is told on stderr, by its path, with what to do instead; nothing is left out
in silence. Secrets that stand in the file are written nowhere: variables take their place.

  --format   yaml, json or ts. Default: as --output ends, else yaml
  --output   a file that does not exist yet. Default: stdout

Nothing is asked of a vendor. \`sluice check\` says whether the configuration can be served once its variables are set.

Ends with 0 where all was carried, and with 3 where the configuration was printed and something has no equivalent.

  sluice import litellm config.yaml --output sluice.config.yaml`,
  options: { format: { type: 'string' }, output: { type: 'string' } },
  words: Object.keys(importers),
  run: async (values, positionals, world) => {
    const [source = '', file, ...more] = positionals
    const importer = Object.hasOwn(importers, source) ? importers[source] : undefined
    if (importer === undefined || file === undefined || more.length > 0)
      throw new CommandFault('Write `sluice import litellm FILE` or `sluice import portkey FILE`.', 2)
    const output = typeof values.output === 'string' ? values.output : undefined
    const format = formatOf(values.format, output)
    const imported = importer.read(foreignValue(await textOf(resolve(world.cwd, file), file), importer.kind))
    const told = toldLosses(imported)
    if (told !== '') world.tell(told)
    if (Object.keys(imported.config.models).length === 0)
      throw new CommandFault('None of its models could be carried, and so there is no configuration.')
    const text = writtenConfig(imported.config, format)
    if (output === undefined) world.print(text.trimEnd())
    else await write(resolve(world.cwd, output), output, text)
    return imported.lost.length === 0 ? 0 : 3
  },
}

function formatOf(given: unknown, output: string | undefined): ConfigFormat {
  const ending = output === undefined ? 'yaml' : extname(output).slice(1)
  const name = typeof given === 'string' ? given : ending
  const format = Object.hasOwn(formats, name) ? formats[name] : undefined
  if (format !== undefined) return format
  throw new CommandFault(`--format: got '${name}', expected yaml, json or ts.`, 2)
}

async function textOf(path: string, shown: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    throw new CommandFault(`${shown} cannot be read: ${codeOf(error)}.`)
  }
}

async function write(path: string, shown: string, text: string): Promise<void> {
  try {
    await writeFile(path, text, { flag: 'wx' })
  } catch (error) {
    const code = codeOf(error)
    throw new CommandFault(
      code === 'EEXIST'
        ? `${shown} is there already, and nothing was written. Name another file, or remove it.`
        : `${shown} cannot be written: ${code}.`,
    )
  }
}

function codeOf(error: unknown): string {
  return (error as { readonly code?: string }).code ?? 'for an unknown reason'
}
