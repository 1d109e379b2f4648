import manifest from '../package.json' with { type: 'json' }

/** Of this package, as it is published. */
export const version: string = manifest.version
