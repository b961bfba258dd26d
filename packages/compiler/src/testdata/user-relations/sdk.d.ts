// Types of the project user-relations, for createClient<UserRelations>() of @plinth/sdk.
// Generated from its blueprint: changes here are lost.

export interface UserRelations {
  entities: {
    follow: {
      record: {
        id: string;
        follower_id: string;
        followed_id: string;
        created_by: string | null;
        created_at: string;
        updated_at: string;
        version: number;
      };
      create: {
        follower_id?: string;
        followed_id: string;
      };
      update: {
        follower_id?: string;
        followed_id?: string;
      };
      where: {
        id?: string;
        follower_id?: string;
        followed_id?: string;
        created_by?: string;
        created_at?: string;
        updated_at?: string;
        version?: number;
      };
      texts: never;
      numbers: "version";
      times: "created_at" | "updated_at";
      relations: {
        created_by: { to: "user"; many: false; };
        followed: { to: "user"; many: false; };
        follower: { to: "user"; many: false; };
      };
    };
    article: {
      record: {
        id: string;
        title: string;
        author_id: string;
        reviewer_id: string | null;
        created_by: string | null;
        created_at: string;
        updated_at: string;
        version: number;
      };
      create: {
        title: string;
        author_id?: string;
        reviewer_id?: string | null;
      };
      update: {
        title?: string;
        author_id?: string;
        reviewer_id?: string | null;
      };
      where: {
        id?: string;
        title?: string;
        author_id?: string;
        reviewer_id?: string;
        created_by?: string;
        created_at?: string;
        updated_at?: string;
        version?: number;
      };
      texts: "title";
      numbers: "version";
      times: "created_at" | "updated_at";
      relations: {
        author: { to: "user"; many: false; };
        created_by: { to: "user"; many: false; };
        reviewer: { to: "user"; many: false; };
      };
    };
  };
  user: {
    id: string;
    email: string;
    name: string | null;
    roles: ("user" | "owner" | "admin")[];
    nickname: string | null;
    address: { city: string; since?: string | null } | null;
    verified: boolean;
    created_at: string;
    updated_at: string;
    version: number;
  };
  related: {
    user: {
      record: {
        id: string;
        email?: string;
        name?: string | null;
        roles?: ("user" | "owner" | "admin")[];
        nickname: string | null;
        address?: { city: string; since?: string | null } | null;
        verified?: boolean;
        created_at?: string;
        updated_at?: string;
        version?: number;
      };
      where: {
        id?: string;
        email?: string;
        name?: string;
        roles?: ("user" | "owner" | "admin")[];
        nickname?: string;
        address?: { city: string; since?: string | null };
        verified?: boolean;
        created_at?: string;
        updated_at?: string;
        version?: number;
        "address.city"?: string;
        "address.since"?: string;
      };
      texts: "email" | "name" | "nickname" | "address.city";
      numbers: "version";
      times: "created_at" | "updated_at";
      relations: {
        articles: { to: "article"; many: true; by: "author_id"; };
        followers: { to: "follow"; many: true; by: "followed_id"; };
        following: { to: "follow"; many: true; by: "follower_id"; };
      };
    };
  };
  profile: {
    nickname?: string | null;
    address?: { city: string; since?: string | null } | null;
  };
}
