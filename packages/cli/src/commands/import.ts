import { readFile, writeFile } from 'node:fs/promises'
import { extname, resolve } from 'node:path'
import { type Command, CommandError } from '../command.ts'
import { codeOf } from '../command-line/error-code.ts'
import { type ConfigFormat, type ImportResult, reportText, serializeConfig } from '../import/import-result.ts'
import { importLiteLLM } from '../import/litellm/import-litellm.ts'
import { parseSource } from '../import/parse-source.ts'
import { importPortkey } from '../import/portkey/import-portkey.ts'

const importers: Readonly<Record<string, { kind: 'yaml' | 'json'; read: (value: unknown) => ImportResult }>> =
  {
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

/** `sluice import`: converts the configuration of another gateway. */
export const importCommand: Command = {
  name: 'import',
  summary: 'converts a configuration of LiteLLM or Portkey, and lists the settings without an equivalent',
  help: `Usage: sluice import litellm FILE [--format yaml|json|ts] [--output FILE]
       sluice import portkey FILE [--format yaml|json|ts] [--output FILE]

Reads the config.yaml of a LiteLLM proxy, or the JSON of a Portkey config, and prints an equivalent configuration. Every
setting without an equivalent is listed on stderr with its path and what to do instead. Secrets in the file are not
copied: the configuration references environment variables instead.

  --format   yaml, json or ts. Default: the extension of --output, else yaml
  --output   file to create. Default: stdout

Calls no vendor. Set the variables, then run \`sluice check\` to validate the configuration.

Exits with 0 if everything was converted, and with 3 if some settings have no equivalent.

Example: sluice import litellm config.yaml --output sluice.config.yaml`,
  options: { format: { type: 'string' }, output: { type: 'string' } },
  words: Object.keys(importers),
  run: async (values, positionals, context) => {
    const [source = '', file, ...more] = positionals
    const importer = Object.hasOwn(importers, source) ? importers[source] : undefined
    if (importer === undefined || file === undefined || more.length > 0)
      throw new CommandError('Write `sluice import litellm FILE` or `sluice import portkey FILE`.', 2)
    const output = typeof values.output === 'string' ? values.output : undefined
    const format = formatOf(values.format, output)
    const imported = importer.read(parseSource(await textOf(resolve(context.cwd, file), file), importer.kind))
    const told = reportText(imported)
    if (told !== '') context.log(told)
    if (Object.keys(imported.config.models).length === 0)
      throw new CommandError('None of its models could be converted, so no configuration was written.')
    const text = serializeConfig(imported.config, format)
    if (output === undefined) context.print(text.trimEnd())
    else await write(resolve(context.cwd, output), output, text)
    return imported.unsupported.length === 0 ? 0 : 3
  },
}

function formatOf(given: unknown, output: string | undefined): ConfigFormat {
  const ending = output === undefined ? 'yaml' : extname(output).slice(1)
  const name = typeof given === 'string' ? given : ending
  const format = Object.hasOwn(formats, name) ? formats[name] : undefined
  if (format !== undefined) return format
  throw new CommandError(`--format: got '${name}', expected yaml, json or ts.`, 2)
}

async function textOf(path: string, shown: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    throw new CommandError(`Cannot read ${shown}: ${codeOf(error) ?? 'unknown error'}.`)
  }
}

async function write(path: string, shown: string, text: string): Promise<void> {
  try {
    await writeFile(path, text, { flag: 'wx' })
  } catch (error) {
    const code = codeOf(error) ?? 'unknown error'
    throw new CommandError(
      code === 'EEXIST'
        ? `${shown} already exists. Choose another file, or remove it.`
        : `Cannot write ${shown}: ${code}.`,
    )
  }
}
