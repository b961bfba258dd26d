// Tailwind is the only CSS transformation. In: globals.css and the class names in src. Out: one stylesheet.
export default { plugins: { "@tailwindcss/postcss": {} } };
