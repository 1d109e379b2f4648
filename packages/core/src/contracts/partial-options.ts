/** Options that may be omitted or `undefined`, each of them. Like `Partial`, also under `exactOptionalPropertyTypes`. */
export type PartialOptions<Options> = { readonly [Name in keyof Options]?: Options[Name] | undefined }
