// Next's ambient types (stylesheets, images), here because the generated next-env.d.ts is not under version control.
// In: nothing. Out: types only.
/// <reference types="next" />
/// <reference types="next/image-types/global" />
