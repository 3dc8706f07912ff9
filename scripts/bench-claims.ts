import '../bench/claims.ts';
